/* 5050 in plain C, as a programmer would write it for speed: two players, standard rules, every legal choice equally
 * likely. The yardstick for the compiled rules: same game, same count of steps (a throw, a keep, a stop or go),
 * SplitMix64, one draw a die.
 *
 * A keep is drawn without listing all: the number of ones, of conversions and fives, and of triples of the other faces
 * are independent of each other but for the fives, so that an index into all keeps can be taken apart.
 *
 * usage: fifty_fifty MATCHES SEED   prints: steps seconds starter_wins
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t rng;

static uint32_t below(uint32_t n) {
    for (;;) {
        uint64_t z = (rng += 0x9E3779B97F4A7C15u);
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        uint64_t wide = ((z ^ (z >> 31)) >> 32) * (uint64_t)n;
        uint32_t rest = (uint32_t)wide;
        if (rest >= n || rest >= (uint32_t)(-n) % n)
            return (uint32_t)(wide >> 32);
    }
}

int main(int argc, char **argv) {
    long matches = argc > 1 ? atol(argv[1]) : 100000;
    rng = argc > 2 ? strtoull(argv[2], 0, 10) : 1;
    long steps = 0, starter_wins = 0;
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (long m = 0; m < matches; m++) {
        int written[2] = {0, 0}, mover = 0;
        for (;;) {
            int earlier = 0, set = 0, dice = 6, confirm = 0;
            for (;;) {
                int c[7] = {0};
                for (int i = 0; i < dice; i++)
                    c[1 + below(6)]++;
                steps++;
                int fives = 0, odd = 0, kinds = 0;
                for (int conversions = 0; 2 * conversions <= c[5]; conversions++)
                    fives += c[5] - 2 * conversions + 1;
                for (int f = 1; f <= 6; f++) {
                    odd += c[f] & 1;
                    kinds += c[f] == 1;
                }
                int others = (c[2] / 3 + 1) * (c[3] / 3 + 1) * (c[4] / 3 + 1) * (c[6] / 3 + 1);
                int parts = (c[1] + 1) * fives * others - 1;
                int straight = kinds == 6, pairs = dice == 6 && odd == 0;
                int choices = parts + straight + pairs;
                if (choices == 0)
                    break;
                int pick = (int)below((uint32_t)choices), aside, value, special = 0;
                steps++;
                if (pick >= parts) {
                    aside = 6;
                    value = 1500;
                    special = 1;
                } else {
                    int index = pick + 1, ones = index % (c[1] + 1), conversions = 0, plain;
                    index /= c[1] + 1;
                    plain = index % fives;
                    index /= fives;
                    while (plain > c[5] - 2 * conversions)
                        plain -= c[5] - 2 * conversions++ + 1;
                    value = ones / 3 * 1000 + ones % 3 * 100 + conversions * 100 + plain / 3 * 500 + plain % 3 * 50;
                    aside = ones + conversions + plain;
                    static const int faces[4] = {2, 3, 4, 6};
                    for (int i = 0; i < 4; i++) {
                        int f = faces[i], triples = index % (c[f] / 3 + 1);
                        index /= c[f] / 3 + 1;
                        value += 100 * f * triples;
                        aside += 3 * triples;
                    }
                }
                set += value;
                dice -= aside;
                confirm |= special;
                if (set >= 350 && !confirm) {
                    steps++;
                    if (below(2) == 0) {
                        written[mover] += earlier + set;
                        break;
                    }
                }
                if (dice == 0) {
                    earlier += set;
                    set = 0;
                    dice = 6;
                    confirm = 0;
                }
            }
            if (mover == 1 && (written[0] >= 5050 || written[1] >= 5050))
                break;
            mover = 1 - mover;
        }
        starter_wins += written[0] >= written[1];
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    printf("%ld %.6f %.6f\n", steps, seconds, (double)starter_wins / (double)matches);
    return 0;
}
