import CarillonOperatorModel

extension Home {
    /// What the page is made of.
    struct Model: Hashable, Sendable {
        var apps: [App]
        /// The cursor of the next page; `nil` on the last one.
        var next: String?
    }
}
