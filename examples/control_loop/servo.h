// What the loop controls: a servo, modelled.
#ifndef LATIMER_EXAMPLES_CONTROL_LOOP_SERVO_H_
#define LATIMER_EXAMPLES_CONTROL_LOOP_SERVO_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

// A motor, and the PID controller of its position.
struct Servo {
  float position = 0, speed = 0, integral = 0;

  // Goes on by a millisecond.
  void Step(float goal) {
    constexpr float kSeconds = 0.001f;
    const float error = goal - position;
    integral += error * kSeconds;
    const float volts = std::clamp(
        40.0f * error + 8.0f * integral - 0.6f * speed, -12.0f, 12.0f);
    speed += (4.0f * volts - speed) * (kSeconds / 0.05f);
    position += speed * kSeconds;
  }

  std::array<uint32_t, 3> bits() const {
    return std::bit_cast<std::array<uint32_t, 3>>(*this);
  }
};

// Where it goes: to and fro.
struct Path {
  float sine = 0, cosine = 1;

  float Next() {
    const float next = 0.9998f * sine + 0.02f * cosine;
    cosine = 0.9998f * cosine - 0.02f * sine;
    return sine = next;
  }
};

#endif  // LATIMER_EXAMPLES_CONTROL_LOOP_SERVO_H_
