/// Makes random numbers; tests pass one with a seed.
package protocol RandomSource: Sendable {
    /// 64 uniform bits. They must be unpredictable: the device secret is made of them.
    func next() -> UInt64
}

/// The system's cryptographic random numbers.
package struct SystemRandom: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

extension RandomSource {
    /// A number from 0 up to, and without, 1.
    package func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }
}
