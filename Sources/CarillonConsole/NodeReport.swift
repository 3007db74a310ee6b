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

    package var faults: [Fault] = []
    /// Whether the node is configured to send nothing.
    package var isHeld = false

    /// Creates the report of a node without faults.
    package init() {}
}
