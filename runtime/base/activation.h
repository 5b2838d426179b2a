// The activation functions of the network.
#ifndef LATIMER_BASE_ACTIVATION_H_
#define LATIMER_BASE_ACTIVATION_H_

#include <stdint.h>

namespace latimer {

enum class Activation : uint8_t {
  kRelu,      // max(x, 0)
  kGelu,      // x * Phi(x), with Phi of the normal distribution: PyTorch's gelu
  kGeluTanh,  // its approximation by tanh (Hendrycks and Gimpel, 2016)
  kSwish,     // x * sigmoid(x), also called SiLU
  kTanh,
  kSigmoid,
};

}  // namespace latimer

#endif  // LATIMER_BASE_ACTIVATION_H_
