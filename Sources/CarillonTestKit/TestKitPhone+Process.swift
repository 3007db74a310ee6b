import Carillon
package import FacadeSupport
import Foundation
import UserNotifications

// MARK: - The app's process

extension TestKitPhone {
    package var dependencies: FacadeDependencies {
        lock.lock()
        defer { lock.unlock() }
        return process
    }

    /// The app's memory, which a new process does not have.
    func beginProcess() {
        guard system.appState == .notRunning else { return }
        let new = Self.dependencies(setup, server, folder, memory, isExtension: false)
        lock.lock()
        defer { lock.unlock() }
        process = new
    }

    /// What the SDK finds when an app's own code makes its client.
    static func installation(
        _ setup: Setup,
        _ server: any Transport,
        _ folder: URL,
        isExtension: Bool
    ) -> SimulatedInstallation {
        let info = isExtension ? setup.extensionInfo : setup.info
        return SimulatedInstallation(
            info: { info[$0] },
            storage: folder,
            dependencies: { dependencies(setup, server, isExtension: isExtension) }
        )
    }

    static func dependencies(
        _ setup: Setup,
        _ server: any Transport,
        _ folder: URL,
        _ memory: TestKitMemory,
        isExtension: Bool
    ) -> FacadeDependencies {
        let info = isExtension ? setup.extensionInfo : setup.info
        return FacadeDependencies(
            isExtension: isExtension,
            memory: isExtension ? TestKitMemory() : memory,
            info: { info[$0] },
            configure: { $0.storage = folder },
            dependencies: { _ in dependencies(setup, server, isExtension: isExtension) }
        )
    }

    static func dependencies(
        _ setup: Setup,
        _ server: any Transport,
        isExtension: Bool
    ) -> Dependencies {
        var dependencies = Dependencies(transport: server)
        dependencies.time = setup.time
        if isExtension { dependencies.process = Dependencies.extensionProcess }
        let facts = setup.facts
        dependencies.facts = { facts }
        return dependencies
    }
}
