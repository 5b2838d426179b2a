// Keeps a function's frame off the stack of its caller.
#ifndef LATIMER_BASE_OFF_STACK_H_
#define LATIMER_BASE_OFF_STACK_H_

// The function is not inlined. What it needs (a Status and its message, the
// request, the parts of a text) is so on the stack only while it runs, and not
// below its caller for as long as the network, or the tokenizer, runs: that
// keeps the deepest path within kStackBytes.
#define LATIMER_OFF_STACK [[gnu::noinline]]

#endif  // LATIMER_BASE_OFF_STACK_H_
