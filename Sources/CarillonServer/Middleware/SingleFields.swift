import HTTPTypes
import Hummingbird

extension Request {
    /// The value of a field that is meant to come once.
    ///
    /// Looking it up by name joins all values of that name, which takes longer than it should for one.
    ///
    /// - Parameter name: The field's name.
    /// - Returns: The first value; `nil` when the field is missing. Credentials that come twice are not joined to others.
    func first(_ name: HTTPField.Name) -> String? {
        for field in headers where field.name == name { return field.value }
        return nil
    }
}
