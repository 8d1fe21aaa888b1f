#!/usr/bin/env python3
"""Records a command in a terminal as an animated SVG, which needs no script to play.

usage: record.py OUT.svg COLUMNS ROWS COMMAND [ARGUMENT...]

Every line of the picture was printed by the command. Only the times are changed: pauses are cut to PAUSE_S, and output
that comes at once is scrolled by half a screen at a time. The last picture is shown where nothing may move.
"""

import html
import os
import pty
import re
import select
import shlex
import struct
import sys
import time
from fcntl import ioctl
from termios import TIOCSWINSZ

PAUSE_S = 0.4       # between two pictures of a progress line
READ_S = 1.6        # for half a screen of text
END_S = 8           # for the last picture
MAX_FRAMES = 24     # while the command runs
CHAR_PX, LINE_PX, MARGIN_PX = 7.2, 16, 14


class Screen:
    """The lines that a terminal shows, above them those that it has scrolled away."""

    def __init__(self, columns):
        self.columns, self.lines, self.row, self.column = columns, [''], 0, 0

    def feed(self, text):
        for token in re.findall(r'\x1b\[[0-9;?]*[A-Za-z]|[^\x1b]', text):
            if token.startswith('\x1b'):
                self.control(token)
            elif token == '\r':
                self.column = 0
            elif token == '\n':
                self.down(1)
            else:
                self.put(token)

    def control(self, token):
        count = int(re.sub(r'\D', '', token) or 1)
        if token[-1] == 'A':
            self.row = max(0, self.row - count)
        elif token[-1] == 'B':
            self.down(count)
        elif token[-1] == 'K':      # indicatif clears whole lines only
            self.lines[self.row] = ''

    def down(self, count):
        self.row += count
        self.lines += [''] * (self.row + 1 - len(self.lines))

    def put(self, char):
        if self.column == self.columns:
            self.column = 0
            self.down(1)
        line = self.lines[self.row].ljust(self.column)
        self.lines[self.row] = line[:self.column] + char + line[self.column + 1:]
        self.column += 1


def run(command, columns, rows):
    """Calls the command; returns pictures of its lines, each with the seconds since the beginning."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    ioctl(terminal, TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    screen, taken, rest, begun = Screen(columns), [], b'', time.monotonic()
    while True:
        if not select.select([terminal], [], [], 0.05)[0]:
            taken.append((time.monotonic() - begun, list(screen.lines)))
            continue
        try:
            rest += os.read(terminal, 65536)
        except OSError:     # the command has ended
            break
        whole = rest.decode(errors='ignore')
        # An escape sequence or a character may be cut in two.
        cut = re.search(r'\x1b(\[[0-9;?]*)?$', whole)
        whole = whole[:cut.start()] if cut else whole
        screen.feed(whole)
        rest = rest[len(whole.encode()):]
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]):
        sys.exit('\n'.join(screen.lines))
    return taken, screen.lines


def frames(taken, last, rows):
    """What is shown one after the other, each with its duration: the last `rows` lines of what is there."""
    changes = [lines for index, (_, lines) in enumerate(taken) if index == 0 or lines != taken[index - 1][1]]
    step = -(-len(changes) // MAX_FRAMES)
    shown = [(lines[-rows:], PAUSE_S) for lines in changes[::step]]
    begin = max(len(changes[-1]) - rows, 0) if changes else 0
    while last and not last[-1]:
        last = last[:-1]
    for top in range(begin + rows // 2, len(last) - rows, rows // 2):
        shown.append((last[top:top + rows], READ_S))
    return shown + [(last[-rows:], END_S)]


def svg(shown, columns, rows, command):
    total = sum(seconds for _, seconds in shown)
    starts = [sum(seconds for _, seconds in shown[:index]) for index in range(len(shown) + 1)]
    spans = {}      # when a line is to be seen, and in which rows
    for row in range(rows):
        index = 0
        while index < len(shown):
            text = line(shown, index, row)
            end = index + 1
            while end < len(shown) and line(shown, end, row) == text:
                end += 1
            if text:
                spans.setdefault((index, end), []).append((row, text))
            index = end
    width, height = columns * CHAR_PX + 2 * MARGIN_PX, rows * LINE_PX + 2 * MARGIN_PX
    style, groups = [], []
    for number, ((index, end), lines) in enumerate(sorted(spans.items())):
        begin, until = (f'{100 * starts[at] / total:.2f}%' for at in (index, end))
        hidden, visible = '{visibility:hidden}', '{visibility:visible}'
        if end == len(shown):
            groups.append('<g class="last"' + (f' style="animation-name:f{number}">' if index else '>'))
            frame = f'0%{hidden}{begin}{visible}'
        else:
            groups.append(f'<g style="animation-name:f{number}">')
            frame = (f'0%{hidden}' if index else '') + f'{begin}{visible}{until}{hidden}'
        if index or end < len(shown):
            style.append(f'@keyframes f{number}{{{frame}}}')
        for row, text in lines:
            y = MARGIN_PX + (row + 0.75) * LINE_PX
            groups.append(f'<text x="{MARGIN_PX}" y="{y:g}">{html.escape(text, quote=False)}</text>')
        groups.append('</g>')
    return '\n'.join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img">',
        f'<title>{html.escape(shlex.join(command))} in a terminal; pauses are cut</title>',
        '<style>',
        "text{font:12px 'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace;fill:#d8dee4;white-space:pre}",
        f'g{{animation:{total:g}s step-end infinite;visibility:hidden}}g.last{{visibility:visible}}',
        '@media (prefers-reduced-motion:reduce){g{animation:none!important}}',
        *style,
        '</style>',
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#1d242c"/>',
        *groups,
        '</svg>', ''])


def line(shown, index, row):
    lines = shown[index][0]
    return lines[row].rstrip() if row < len(lines) else ''


def main():
    out, columns, rows, command = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    taken, last = run(command, columns, rows)
    typed = '$ ' + shlex.join(command)
    taken = [(0, [typed])] + [(at, [typed] + lines) for at, lines in taken]
    with open(out, 'w', encoding='utf-8') as file:
        file.write(svg(frames(taken, [typed] + last, rows), columns, rows, command))


main()
