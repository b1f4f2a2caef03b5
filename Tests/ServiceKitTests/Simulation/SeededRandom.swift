/// SplitMix64 (Steele, Lea, Flood 2014): small, fast, and the same on every machine for one seed.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  /// Streams of neighbouring seeds have nothing in common.
  init(seed: Int) {
    state = UInt64(truncatingIfNeeded: seed)
    state = next() ^ 0x5bf0_3635_dcd9_8a1b
    state = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// True with that probability.
  mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }
}
