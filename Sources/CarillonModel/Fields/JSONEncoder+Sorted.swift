package import Foundation

extension JSONEncoder {
    /// An encoder that writes the same bytes for the same value: sorted keys, plain slashes.
    ///
    /// It is a class and not shared between tasks.
    ///
    /// - Parameter additional: Formatting besides.
    /// - Returns: A new encoder.
    package static func sorted(_ additional: OutputFormatting = []) -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = additional.union([.sortedKeys, .withoutEscapingSlashes])
        return encoder
    }
}
