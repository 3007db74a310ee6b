import Foundation
import Testing

/// The HTTP/2 core against a model server that does whatever a seed says.
struct ConnectionPropertyTests {
    /// How many seeds each part tries; script/soak asks for more.
    static let share =
        max(16, UInt64(ProcessInfo.processInfo.environment["CARILLON_PROPERTY_SEEDS"] ?? "") ?? 1600) / 16

    /// A run's bytes, all from its seed.
    static func bytes(_ seed: UInt64) -> [UInt8] {
        var random = SplitMix(state: seed &* 0x2545_F491_4F6C_DD1D)
        return (0..<Int.random(in: 20...1500, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    @Test(
        "P-03 P-04 P-05 P-08 P-28 P-37 whatever a server does, invariants hold and each outcome is true",
        arguments: 0..<16
    )
    func anyServer(part: UInt64) {
        for seed in part * Self.share..<(part + 1) * Self.share {
            if let wrong = ModelRun.wrong(in: Self.bytes(seed)) {
                Issue.record("seed \(seed): \(wrong)")
                return
            }
        }
    }
}
