import CCrypto

/// SHA-256 (FIPS 180-4) by OpenSSL's libcrypto.
package enum Digest {
  /// 32 bytes.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { out, count in
      _ = bytes.withUnsafeBufferPointer { CCrypto.SHA256($0.baseAddress, $0.count, out.baseAddress) }
      count = 32
    }
  }

  /// Whether both are equal, in a time that does not depend on where they differ.
  package static func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
  }

  /// Lower-case hexadecimal.
  package static func hex(_ bytes: [UInt8]) -> String {
    String(unsafeUninitializedCapacity: bytes.count * 2) { out in
      for (index, byte) in bytes.enumerated() {
        out[index * 2] = digit(byte >> 4)
        out[index * 2 + 1] = digit(byte & 0xf)
      }
      return bytes.count * 2
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}
