import CarillonModel
import Foundation

/// The result of a demonstration; `--json` prints it as its last line.
struct DemoReport: Codable, Equatable {
    /// Phones that registered.
    var devices: Int
    /// Devices that the campaign matched.
    var targeted: Int
    /// Notifications that the simulated APNs accepted.
    var accepted: Int
    /// Notifications that failed permanently.
    var failed: Int
    /// Phones whose service extension got it.
    var received: Int
    /// Phones on which it was tapped.
    var opened: Int
    /// Phones that ever showed two copies; must be 0.
    var shownTwice: Int
    /// From the request to the last outcome.
    var seconds: Double

    /// The report as one line of JSON.
    var line: String {
        get throws {
            return String(decoding: try JSONEncoder.sorted().encode(self), as: UTF8.self)
        }
    }
}
