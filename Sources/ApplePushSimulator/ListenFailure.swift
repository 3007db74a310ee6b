import Foundation
import NIOCore

/// A port could not be opened.
package struct ListenFailure: Error, CustomStringConvertible {
    package var port: Int
    /// What the port is for, such as `production` or `the control API`.
    package var purpose: String
    /// The system's error.
    package var cause: any Error

    package var description: String {
        "The port \(port) for \(purpose) \(trouble)."
    }

    private var trouble: String {
        switch (cause as? IOError)?.errnoCode {
        case EADDRINUSE: "is in use by another program"
        case EACCES: "needs rights that this user does not have"
        default: "cannot be opened: \(cause)"
        }
    }
}
