import CarillonModel
import CarillonOperatorModel

/// The pages of all Operators, and of one.
enum OperatorPages {
    /// What the list is made of.
    struct ListModel: Hashable, Sendable {
        var operators: [Operator]
        /// The cursor of the next page; `nil` on the last one.
        var next: String?
    }

    /// What the page of one is made of.
    struct DetailModel: Hashable, Sendable {
        var person: Operator
        var sessions: [OperatorSessionRecord]
        var identities: [OperatorIdentity]
        var apps: [App]
        /// Whether it is the Operator who asks.
        var isSelf: Bool
    }
}
