/// Gives random numbers; tests bring one with a seed.
package protocol RandomSource: Sendable {
    /// 64 bits, each as likely as the other. The Device's secret is made of them: nobody may be able to foretell them.
    func next() -> UInt64
}

/// The system's random numbers, fit for secrets.
package struct SystemRandom: RandomSource {
    package init() {}

    package func next() -> UInt64 {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }
}

extension RandomSource {
    /// A number from 0 up to and without 1.
    package func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

    func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }
}
