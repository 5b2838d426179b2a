#!/usr/bin/env python3
"""How many tokens a step of speculation would yield, from token ids alone.

  draft_acceptance.py LEARN.ids OUTPUT.ids

Both have one translation a line, as `latimer translate --ids` prints it: those
to learn drafts from, and others that the same model made, to be drafted. A
draft is the token that most often follows the last two tokens, or the last one
where those two were seen once or never, if it does so in at least a given part
of the cases; then the next, up to a given number. Greedy search takes a draft
if it is what it would have chosen: its result stays what it is.

Prints for each limit the tokens and the rows (drafts and the token itself) of a
step, and what a further row may cost at most, as a part of a step of one row,
for speculation to pay.
"""
import collections
import sys


def read(path):
    with open(path, encoding="ascii") as lines:
        return [[int(word) for word in line.split()] for line in lines]


def most_frequent(counts, least):
    """{context: (token, its part of the cases)} of contexts seen that often."""
    table = {}
    for context, followers in counts.items():
        cases = sum(followers.values())
        if cases >= least:
            token, times = followers.most_common(1)[0]
            table[context] = token, times / cases
    return table


def learn(translations):
    after_one = collections.defaultdict(collections.Counter)
    after_two = collections.defaultdict(collections.Counter)
    for ids in translations:
        ids = [None] + ids
        for i in range(1, len(ids)):
            after_one[ids[i - 1]][ids[i]] += 1
            if i > 1:
                after_two[ids[i - 2], ids[i - 1]][ids[i]] += 1
    return most_frequent(after_one, 1), most_frequent(after_two, 2)


def draft(tables, history, count, least_part):
    after_one, after_two = tables
    history = list(history[-2:])
    drafts = []
    while len(drafts) < count:
        best = after_two.get(tuple(history)) or after_one.get(history[-1])
        if best is None or best[1] < least_part:
            break
        drafts.append(best[0])
        history = [history[-1], best[0]]
    return drafts


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tables = learn(read(sys.argv[1]))
    outputs = [ids for ids in read(sys.argv[2]) if ids]
    tokens = sum(len(ids) for ids in outputs)
    print("drafts  least part  tokens/step  rows/step  row may cost")
    for count in (1, 2, 3):
        for least_part in (0, 0.2, 0.3, 0.4, 0.5, 0.7):
            steps = drafted = 0
            for ids in outputs:
                done = 0
                while done < len(ids):
                    drafts = draft(tables, [None] + ids[:done], count,
                                   least_part)
                    taken = 0
                    while (taken < len(drafts) and done + taken + 1 < len(ids)
                           and drafts[taken] == ids[done + taken]):
                        taken += 1
                    steps += 1
                    drafted += len(drafts)
                    done += taken + 1
            gain = tokens / steps
            more = drafted / steps
            print(f"{count:6} {least_part:11} {gain:12.3f} {1 + more:10.2f} "
                  f"{(gain - 1) / more if more else 0:13.2f}")


if __name__ == "__main__":
    main()
