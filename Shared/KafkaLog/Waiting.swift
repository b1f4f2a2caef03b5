import Dispatch
import EventLog

extension Waiter {
  /// Waits until woken, or for so long. A caller that is cancelled waits as well.
  func wait(atMost bound: Duration) async {
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { [self] in wake() }
    timer.schedule(deadline: .now() + bound.seconds)
    timer.activate()
    await Task.detached { await self.wait() }.value
    timer.cancel()
  }
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
