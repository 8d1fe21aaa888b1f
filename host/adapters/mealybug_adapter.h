/* Makes C code a device for Mealybug: mealybug learn --adapter ./device
 *
 * Copy this file beside your tests. It needs C99 or C++ and the standard library, and allocates nothing.
 *
 *     static const char *const inputs[] = {"press", "release", NULL};
 *     static struct button button;
 *
 *     static void reset(void) { button_init(&button); }
 *
 *     static const char *step(size_t input) { return input == 0 ? button_press(&button) : button_release(&button); }
 *
 *     int main(void) { return mealybug_serve(inputs, reset, step); }
 *
 * Standard output is the answers': what is for people goes to standard error.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef MEALYBUG_ADAPTER_H
#define MEALYBUG_ADAPTER_H

#include <stdio.h>
#include <string.h>

/* The longest request: "step ", an input with all its escapes, a line feed. */
#ifndef MEALYBUG_LINE_BYTES
#define MEALYBUG_LINE_BYTES 1024
#endif

/* Writes text as a part of a line; the blanks in the name of an input are escaped. */
static void mealybug_write(const char *text, int is_input, char *line, size_t size) {
    static const char digits[] = "0123456789abcdef";
    size_t at = 0;
    if (is_input && *text == '\0') {
        line[at++] = '\\';
    }
    for (; *text != '\0' && at + 5 < size; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '\\') {
            line[at++] = '\\';
            line[at++] = '\\';
        } else if (c < 0x20 || c == 0x7f || (is_input && c == ' ')) {
            line[at++] = '\\';
            line[at++] = 'x';
            line[at++] = digits[c >> 4];
            line[at++] = digits[c & 15];
        } else {
            line[at++] = (char)c;
        }
    }
    line[at] = '\0';
}

/* Answers requests until standard input ends. `inputs` ends with NULL. `step` is given the number of an input and returns
 * its output; NULL says that the device failed, and the word is asked again. Returns what main returns. */
static int mealybug_serve(const char *const inputs[], void (*reset)(void), const char *(*step)(size_t input)) {
    static char line[MEALYBUG_LINE_BYTES];
    static char text[MEALYBUG_LINE_BYTES];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strcmp(line, "inputs") == 0) {
            size_t input;
            for (input = 0; inputs[input] != NULL; input++) {
                mealybug_write(inputs[input], 1, text, sizeof text);
                printf("%s%s", input == 0 ? "" : " ", text);
            }
            printf("\n");
        } else if (strcmp(line, "reset") == 0) {
            reset();
            printf("ok\n");
        } else if (strncmp(line, "step ", 5) == 0) {
            const char *output = NULL;
            size_t input = 0;
            while (inputs[input] != NULL) {
                mealybug_write(inputs[input], 1, text, sizeof text);
                if (strcmp(line + 5, text) == 0) {
                    break;
                }
                input++;
            }
            if (inputs[input] == NULL) {
                printf("error no such input: %s\n", line + 5);
            } else if ((output = step(input)) == NULL) {
                printf("error at %s\n", line + 5);
            } else {
                mealybug_write(output, 0, text, sizeof text);
                /* Without the escape, the line would report a failure. */
                printf("%s%s\n", strncmp(text, "error", 5) == 0 ? "\\x65" : "", text + (strncmp(text, "error", 5) == 0));
            }
        } else {
            printf("error no such request: %s\n", line);
        }
        fflush(stdout);
    }
    return 0;
}

#endif
