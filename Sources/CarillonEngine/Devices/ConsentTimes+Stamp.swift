package import CarillonModel

extension ConsentTimes {
    /// Stamps what is agreed to now and was not before; what was agreed to keeps its time.
    ///
    /// - Parameters:
    ///   - consent: What the person agrees to now.
    ///   - stored: The Device as it is; `nil` when it is new.
    ///   - at: The time.
    package init(of consent: Consent, after stored: StoredDevice?, at: Timestamp) {
        let (before, times) = (stored?.registration.consent, stored?.consentTimes)
        func time(_ flag: KeyPath<Consent, Bool>, _ since: KeyPath<ConsentTimes, Timestamp?>) -> Timestamp? {
            guard consent[keyPath: flag] else { return nil }
            return before?[keyPath: flag] == true ? times?[keyPath: since] : at
        }
        self.init(
            notifications: time(\.notifications, \.notifications),
            ads: time(\.ads, \.ads),
            nightAds: time(\.nightAds, \.nightAds)
        )
    }
}
