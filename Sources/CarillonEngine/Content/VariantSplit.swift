import CarillonModel
package import CarillonOperatorModel

/// Assigns a Campaign's variants to Devices, and holds some Devices out.
///
/// The result depends only on the Campaign and the Device's number, so it is the same for every attempt and Occurrence
/// and on every node, without storage.
package struct VariantSplit: Hashable, Sendable {
    /// The assignment of a Device.
    package enum Share: Hashable, Sendable {
        /// No variant: the Device is in the holdout, to which others are compared.
        case heldOut
        /// The variant at an index of the Campaign's list.
        case variant(Int)
    }

    private let seed: UInt64
    private let holdout: UInt64
    /// The upper end of each variant's share.
    private let ends: [UInt64]

    /// Creates the split of a Campaign; `nil` when all Devices get the same.
    ///
    /// - Parameters:
    ///   - campaign: The Campaign.
    ///   - weights: The shares of the variants, in their order; empty for one.
    ///   - holdout: The percentage that gets nothing.
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

    /// Returns the assignment of a Device.
    package func share(of device: DeviceNumber) -> Share {
        let draw = Self.mixed(seed ^ Self.mixed(UInt64(bitPattern: device.rawValue)))
        if holdout > 0, draw.multipliedFullWidth(by: 100).high < holdout { return .heldOut }
        guard ends.count > 1, let total = ends.last else { return .variant(0) }
        // A second draw, so that the holdout does not depend on the weights.
        let point = Self.mixed(draw).multipliedFullWidth(by: total).high
        return .variant(ends.firstIndex { point < $0 } ?? ends.count - 1)
    }

    /// SplitMix64's output function: every bit of the input affects every bit of the output.
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
