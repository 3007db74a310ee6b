extension App.AdRule {
    /// Whether the rules for ads cover a phone.
    ///
    /// - Parameter language: The phone's BCP 47 tag, `ko` and `kor` being Korean; `nil` when unknown.
    /// - Returns: True when ads require its consent.
    package func covers(language: String?) -> Bool {
        switch self {
        case .everyone: true
        case .korean:
            ["ko", "kor"].contains(LanguageTag.normalized(language ?? "").prefix { $0 != "-" })
        }
    }
}
