package import CarillonModel

/// A person's consents as bits of one column.
package struct ConsentBits: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let notifications = ConsentBits(rawValue: 1)
    package static let ads = ConsentBits(rawValue: 2)
    package static let nightAds = ConsentBits(rawValue: 4)

    package init(_ consent: Consent) {
        self = []
        if consent.notifications { insert(.notifications) }
        if consent.ads { insert(.ads) }
        if consent.nightAds { insert(.nightAds) }
    }
}
