/// A port could not be opened.
package struct ListenFailure: Error, CustomStringConvertible {
    package var port: Int
    /// What the port is for, such as `production` or `the control API`.
    package var purpose: String
    /// What the system said.
    package var cause: any Error

    package var description: String {
        "The port \(port) for \(purpose) cannot be opened: \(cause)."
    }
}
