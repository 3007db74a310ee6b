import CarillonModel

/// Names an import of a content set.
package struct ContentImportID: TimeOrderedID {
    /// The prefix of the text form: `imp`.
    package static let prefix = "imp"
    /// The number, 0 through 2⁶⁰ − 1.
    package let rawValue: Int64

    /// Wraps a number, which must be in range.
    package init(rawValue: Int64) { self.rawValue = rawValue }
}
