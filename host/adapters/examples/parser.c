/* A parser of commands that come byte by byte from a UART, as a device. The parser is what firmware has; the rest is
 * its test. */
#include "mealybug_adapter.h"

struct parser {
    char line[4];
    unsigned len;
    int is_overrun;
};

/* A byte from the UART. Returns the reply, or "" as long as there is none. */
static const char *parser_receive(struct parser *parser, char byte) {
    if (byte == '\r') {
        unsigned len = parser->len;
        int is_overrun = parser->is_overrun;
        parser->len = 0;
        parser->is_overrun = 0;
        if (is_overrun) {
            return "OVERRUN";
        }
        if (len == 0) {
            return "";
        }
        if (len == 2 && memcmp(parser->line, "ON", 2) == 0) {
            return "OK ON";
        }
        if (len == 3 && memcmp(parser->line, "OFF", 3) == 0) {
            return "OK OFF";
        }
        return "UNKNOWN";
    }
    if (parser->len < sizeof parser->line) {
        parser->line[parser->len++] = byte;
    } else {
        parser->is_overrun = 1;
    }
    return "";
}

/* The bytes that matter, and one that stands for all others. */
static const char *const inputs[] = {"O", "N", "F", "\r", "?", NULL};

static struct parser parser;

static void reset(void) {
    memset(&parser, 0, sizeof parser);
}

static const char *step(size_t input) {
    return parser_receive(&parser, inputs[input][0]);
}

int main(void) {
    return mealybug_serve(inputs, reset, step);
}
