package import CarillonModel

/// What a node says about itself: the console knows neither stores nor connections, so that the composition root asks them.
package struct NodeReport: Hashable, Sendable {
    /// One fault.
    package struct Fault: Hashable, Sendable {
        /// A code, such as `dispatcher-stopped`; the page has a text for those that it knows.
        package var code: String
        /// A description in English.
        package var detail: String
        /// Whether it makes the node unready; otherwise it concerns all nodes, or this one still works.
        package var isFailure: Bool

        package init(code: String, detail: String, isFailure: Bool) {
            self.code = code
            self.detail = detail
            self.isFailure = isFailure
        }
    }

    /// A line of the log that warns.
    package struct Warning: Hashable, Sendable {
        package var at: Timestamp
        /// `warning`, `error` or `critical`.
        package var level: String
        package var message: String
        /// What the line says beside its constant message.
        package var detail: String

        package init(at: Timestamp, level: String, message: String, detail: String) {
            (self.at, self.level, self.message, self.detail) = (at, level, message, detail)
        }
    }

    package var faults: [Fault] = []
    /// The last warnings of the node's log, the latest first.
    package var warnings: [Warning] = []
    /// When `carillon backup` last copied the node's file; `nil` when it never did, and on PostgreSQL.
    package var backupAt: Timestamp?
    /// Whether the node is configured to send nothing.
    package var isHeld = false

    /// Creates the report of a node without faults.
    package init() {}
}
