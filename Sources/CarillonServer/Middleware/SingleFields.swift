import HTTPTypes
import Hummingbird

extension Request {
    /// The value of a field that is expected once.
    ///
    /// A look-up by name joins all values of that name, which is slow.
    ///
    /// - Parameter name: The field's name.
    /// - Returns: The first value; `nil` when the field is missing. Duplicate credentials are not joined.
    func first(_ name: HTTPField.Name) -> String? {
        for field in headers where field.name == name { return field.value }
        return nil
    }
}
