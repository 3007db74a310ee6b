import Carillon
package import FacadeHome
import Foundation
import UserNotifications

// MARK: - The app's process

extension RehearsalPhone {
    package var surroundings: FacadeSurroundings {
        lock.lock()
        defer { lock.unlock() }
        return process
    }

    /// What an app's memory held is gone when it is started anew.
    func beginProcess() {
        guard system.appState == .notRunning else { return }
        let new = Self.surroundings(setup, server, folder, memory, isExtension: false)
        lock.lock()
        defer { lock.unlock() }
        process = new
    }

    static func surroundings(
        _ setup: Setup,
        _ server: any Transport,
        _ folder: URL,
        _ memory: RehearsalMemory,
        isExtension: Bool
    ) -> FacadeSurroundings {
        let info = isExtension ? setup.extensionInfo : setup.info
        return FacadeSurroundings(
            isExtension: isExtension,
            memory: isExtension ? RehearsalMemory() : memory,
            info: { info[$0] },
            configure: { $0.storage = folder },
            surroundings: { _ in surroundings(setup, server, isExtension: isExtension) }
        )
    }

    static func surroundings(
        _ setup: Setup,
        _ server: any Transport,
        isExtension: Bool
    ) -> Surroundings {
        var surroundings = Surroundings(transport: server)
        surroundings.time = setup.time
        if isExtension { surroundings.process = Surroundings.extensionProcess }
        let facts = setup.facts
        surroundings.facts = { facts }
        return surroundings
    }
}
