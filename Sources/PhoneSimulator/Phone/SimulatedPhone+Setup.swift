package import Carillon
package import CarillonModel
package import CarillonServiceExtension
package import Foundation
package import UserNotifications

extension SimulatedPhone {
    /// The configuration of a phone.
    package struct Setup: Sendable {
        /// The client's settings; `storage` is the phone's own folder.
        package var configuration: CarillonConfiguration
        package var profile: PhoneProfile
        package var traits = SimulatedSystem.Traits()
        package var pushType = PushType.apns
        /// What the app does at each launch, before the SDK starts.
        package var onLaunch: PhoneApp.Launch?
        /// Whether the app shows notifications in the foreground.
        package var showsInFront = false
        /// The device token.
        package var deviceToken: Data
        /// The VoIP token; `nil`: the app does not handle calls.
        package var callToken: Data?
        /// The SDK's transport; phones may share one.
        package var transport: any Transport
        /// The source of the extension's media, which must be on this machine.
        package var media: any MediaSource
        /// Finds a file of the app's bundle by its full name.
        package var bundled: @Sendable (String) -> URL? = { _ in nil }
        package var time: any TimeSource = SystemTime()

        package init(
            configuration: CarillonConfiguration,
            profile: PhoneProfile,
            deviceToken: Data,
            transport: any Transport,
            media: any MediaSource
        ) {
            self.configuration = configuration
            self.profile = profile
            self.deviceToken = deviceToken
            self.transport = transport
            self.media = media
        }
    }
}

extension SimulatedPhone.Setup {
    /// Makes the app's client; a launch makes another one.
    func client() throws(CarillonError) -> CarillonClient { try CarillonClient(configuration, dependencies) }

    /// What the service extension works with.
    func extensionParts(in folder: URL) -> ServiceExtensionParts {
        var parts = ServiceExtensionParts()
        parts.dependencies = dependencies
        parts.media = media
        parts.mediaFolder = folder
        parts.bundled = bundled
        parts.configuration = configuration
        return parts
    }

    private var dependencies: Dependencies {
        var dependencies = Dependencies(transport: transport)
        let facts = profile.facts(pushType: pushType)
        dependencies.facts = { facts }
        dependencies.time = time
        return dependencies
    }
}
