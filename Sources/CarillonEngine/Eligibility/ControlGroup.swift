package import CarillonModel

/// The share of an App's Users that get no Campaigns, for comparison.
///
/// Membership depends only on the App and the User, so all Devices of a User agree, on every node and for every
/// Campaign, without storage; members of a small group belong to every larger one. A Device without a User counts by
/// itself.
package struct ControlGroup: Hashable, Sendable {
    private let seed: UInt64
    private let percent: UInt64

    /// Creates the group of an App; `nil` when it is empty.
    ///
    /// - Parameters:
    ///   - app: The App.
    ///   - percent: The percentage of Users.
    package init?(of app: AppID, percent: Int) {
        guard percent > 0 else { return nil }
        seed = UInt64(bitPattern: app.rawValue)
        self.percent = UInt64(percent)
    }

    /// Returns whether a User, or a Device without one, belongs to it.
    ///
    /// - Parameter name: The UTF-8 of the User's id, or the bytes of the Device's.
    /// - Returns: Always the same for the same name.
    package func has(_ name: some Sequence<UInt8>) -> Bool {
        // FNV-1a, whose low bits are well distributed and high bits are not, then SplitMix64's output function.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return VariantSplit.mixed(hash ^ VariantSplit.mixed(seed)).multipliedFullWidth(by: 100).high < percent
    }
}
