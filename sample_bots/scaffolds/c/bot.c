/* Sheds the most penalty it can; calls "Nine" as soon as it may. Both games, no library.
   Build:  cc -O2 -static -o bot bot.c
   One line of JSON comes in for each message of the table; after a "turn" one line goes out: {"index": n}.
   stdout is for answers, stderr is your log. README.md describes the messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_nine; /* the game is Nine, not Nines */

/* What a card costs in hand: Nines N5.1, Nine K3.1. Ranks are A 2 3 4 5 6 7 8 9 T J Q K, and X for the zeros. */
static int cost(char rank) {
    const char *ranks = "XA23456789TJQK";
    const char *found = strchr(ranks, rank);
    int value = found ? (int)(found - ranks) : 0;
    if (is_nine) return value;
    return rank == '9' ? 15 : value > 10 ? 10 : value;
}

/* How good an action is; `text` stands on its "do", `end` on the next action or the end of the list. */
static int worth(const char *text, const char *end) {
    int sum = 0;
    if (strncmp(text, "\"do\":\"call\"", 11) == 0) return 1000;
    const char *cards = strstr(text, "\"cards\":[");
    if (!cards || cards > end) return 0;
    for (cards += 9; *cards && *cards != ']'; cards++)
        if (*cards == '"') { /* a card such as "9S" */
            sum += cost(cards[1]);
            cards += 3;
        }
    return sum;
}

/* The index of the best action of a turn. */
static int choose(const char *line) {
    const char *at = strstr(line, "\"legal\":["), *end = strstr(line, "\"events\":[");
    int index = 0, best = 0, most = -1;
    if (!at || !end || end < at) return 0;
    for (at = strstr(at, "\"do\":"); at && at < end; index++) {
        const char *next = strstr(at + 1, "\"do\":");
        int value = worth(at, next && next < end ? next : end);
        if (value > most) most = value, best = index;
        at = next;
    }
    return best;
}

int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        if (strncmp(line, "{\"match_start\"", 14) == 0) {
            is_nine = strstr(line, "\"game\":\"nine\"") != NULL;
        } else if (strncmp(line, "{\"turn\"", 7) == 0) {
            printf("{\"index\": %d}\n", choose(line));
            fflush(stdout);
        }
    }
    free(line);
    return 0;
}
