/// How far a scenario is.
package struct ScenarioProgress: Codable, Hashable, Sendable {
    package var name: String
    /// Steps that were taken.
    package var taken: Int
    /// Steps in all.
    package var steps: Int
    /// What the next step waits for, in words; nil when there is none.
    package var next: String?
}
