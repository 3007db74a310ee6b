package import CarillonModel

extension ConsentTimes {
    /// Sets the time of new consents; existing ones keep theirs.
    ///
    /// - Parameters:
    ///   - consent: The person's consents now.
    ///   - stored: The stored Device; `nil` when it is new.
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
