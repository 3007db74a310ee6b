#if os(Linux)
package import Foundation

/// An app's installation on a simulated phone: what stands in for the Info.plist, the network and the folder of the process.
///
/// On Apple's systems there is none. Here an app's own lines, `CarillonApp(CarillonConfiguration(bundle: .main))`, run in a
/// test as they stand.
package struct SimulatedInstallation: Sendable {
    @TaskLocal package static var current: Self?

    /// Looks a key up in the Info.plist.
    package var info: @Sendable (String) -> (any Sendable)?
    /// The folder of the SDK's files.
    package var storage: URL
    package var dependencies: @Sendable () -> Dependencies

    package init(
        info: @escaping @Sendable (String) -> (any Sendable)?,
        storage: URL,
        dependencies: @escaping @Sendable () -> Dependencies
    ) {
        self.info = info
        self.storage = storage
        self.dependencies = dependencies
    }
}
#endif
