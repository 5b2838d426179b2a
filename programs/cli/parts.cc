#include "cli/parts.h"

namespace latimer::cli {

OutputPart& PartQueue::Add() {
  ++count_;
  return last() = {};
}

void PartQueue::DropTexts(OutputPart& part) {
  texts_.Drop(&part.translation);
  texts_.Drop(&part.space);
}

void PartQueue::RemoveFirst() {
  DropTexts(first());
  first_ = (first_ + 1) % parts_.size();
  --count_;
  ++removed_;
}

void PartQueue::RemoveLast() {
  DropTexts(last());
  --count_;
}

OutputPart* PartQueue::Find(uint64_t ticket) {
  const auto index = static_cast<size_t>(ticket - removed_);
  return index < count_ ? &At(index) : nullptr;
}

void PartQueue::Fail(uint64_t ticket, const Status& status) {
  Find(ticket)->state = OutputPart::State::kFailed;
  if (ticket > failed_ticket_) return;
  failed_ticket_ = ticket;
  failure_ = status;
}

}  // namespace latimer::cli
