/* Bar-Bolz-Bande in plain C, as a programmer would write it for speed: two players, one match, penalties taken with
 * probability one half. The yardstick for the compiled rules: same game, same die (face by face, black = 5, foul,
 * offside), same count of steps (a throw or an answer to a penalty), SplitMix64.
 *
 * usage: bar_bolz MATCHES SEED   prints: steps seconds starter_wins
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FIVE, TEN, PASS, FOUL, OFFSIDE, PENALTY };

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

static int is_black(uint32_t face) { return face == FIVE || face == FOUL || face == OFFSIDE; }

int main(int argc, char **argv) {
    long matches = argc > 1 ? atol(argv[1]) : 1000000;
    rng = argc > 2 ? strtoull(argv[2], 0, 10) : 1;
    static const int points_of[3] = {5, 10, 20};
    long steps = 0, starter_wins = 0;
    struct timespec from, to;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    for (long m = 0; m < matches; m++) {
        int goals[2] = {0, 0}, attacker = 0;
        while (goals[0] < 2 && goals[1] < 2) {
            int points = 0, fouls = 0, attacking = 1;
            while (attacking) {
                uint32_t face = below(6);
                steps++;
                if (face <= PASS) {
                    points += points_of[face];
                    if (points >= 50) {
                        goals[attacker] += points == 50;
                        attacking = 0;
                    }
                } else if (face == FOUL) {
                    if (fouls == 2) {
                        attacking = 0;
                    } else {
                        steps++;
                        if (is_black(below(6)))
                            attacking = 0;
                        else
                            fouls++;
                    }
                } else if (points >= 30) {
                    if (face == OFFSIDE) {
                        attacking = 0;
                    } else {
                        steps++;
                        if (below(2) == 0) {
                            steps++;
                            goals[attacker] += is_black(below(6));
                            attacking = 0;
                        }
                    }
                }
            }
            attacker = 1 - attacker;
        }
        starter_wins += goals[0] == 2;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    printf("%ld %.6f %.6f\n", steps, seconds, (double)starter_wins / (double)matches);
    return 0;
}
