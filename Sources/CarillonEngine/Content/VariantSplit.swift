import CarillonModel
package import CarillonOperatorModel

/// Which Devices get which of a Campaign's variants, and which get none.
///
/// It depends on the Campaign and the Device's number alone, so that it is the same for every attempt and Occurrence and
/// on every node, without anything being kept.
package struct VariantSplit: Hashable, Sendable {
    /// What a Device gets.
    package enum Share: Hashable, Sendable {
        /// Nothing: it is one of those that the others are compared with.
        case heldOut
        /// The variant at a place in the Campaign's list.
        case variant(Int)
    }

    private let seed: UInt64
    private let holdout: UInt64
    /// Where each variant's share ends.
    private let ends: [UInt64]

    /// Splits a Campaign's Devices; `nil` when all get the same.
    ///
    /// - Parameters:
    ///   - campaign: Which Campaign.
    ///   - weights: The shares of the variants, in their order; empty for one.
    ///   - holdout: How many of a hundred get nothing.
    package init?(_ campaign: CampaignID, weights: [Int], holdout: Int) {
        guard weights.count > 1 || holdout > 0 else { return nil }
        seed = Self.mixed(UInt64(bitPattern: campaign.rawValue))
        self.holdout = UInt64(max(0, holdout))
        var end: UInt64 = 0
        ends = (weights.isEmpty ? [1] : weights).map { weight in
            end += UInt64(max(0, weight))
            return end
        }
    }

    /// What a Device gets.
    package func share(of device: DeviceNumber) -> Share {
        let draw = Self.mixed(seed ^ Self.mixed(UInt64(bitPattern: device.rawValue)))
        if holdout > 0, draw.multipliedFullWidth(by: 100).high < holdout { return .heldOut }
        guard ends.count > 1, let total = ends.last else { return .variant(0) }
        // Another draw: who is held out must not depend on the weights.
        let point = Self.mixed(draw).multipliedFullWidth(by: total).high
        return .variant(ends.firstIndex { point < $0 } ?? ends.count - 1)
    }

    /// SplitMix64's output function: every bit of the number sways every bit of the result.
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
