/// The progress of a scenario.
package struct ScenarioProgress: Codable, Hashable, Sendable {
    package var name: String
    /// Completed steps.
    package var taken: Int
    /// All steps.
    package var steps: Int
    /// The next step's trigger as text; nil when there is none.
    package var next: String?
}
