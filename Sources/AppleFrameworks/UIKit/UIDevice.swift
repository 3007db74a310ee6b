public import Foundation
import UserNotifications

/// The phone.
@MainActor
open class UIDevice: NSObject {
    private let system: SimulatedSystem

    init(system: SimulatedSystem) { self.system = system }

    /// The phone that the calling task runs on.
    public class var current: UIDevice { UIDevice(system: .required) }

    /// The system's name, such as `iOS`.
    open var systemName: String { system.traits.systemName }

    /// The system's version, such as `17.4`.
    open var systemVersion: String { system.traits.systemVersion }
}
