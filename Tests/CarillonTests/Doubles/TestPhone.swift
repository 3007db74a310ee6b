import Carillon
import CarillonModel
import CarillonServiceExtension
import Foundation
import PhoneSimulator
import UserNotifications

/// A simulated phone against a server in memory.
struct TestPhone {
    let folder: TemporaryFolder
    let server: FakeServer
    let time: ManualTime
    let phone: SimulatedPhone

    init(
        server: FakeServer = FakeServer(),
        promptAnswer: SimulatedSystem.PromptAnswer = .allow,
        media: any MediaSource = SuppliedMedia(),
        change: (inout SimulatedPhone.Setup) -> Void = { _ in }
    ) throws {
        folder = try TemporaryFolder()
        self.server = server
        time = ManualTime()
        var setup = SimulatedPhone.Setup(
            configuration: CarillonConfiguration(
                server: URL(string: "https://push.example.com")!,
                appKey: FakeServer.appKey
            ),
            profile: .numbered(3),
            deviceToken: Data(Sample.token().bytes),
            transport: server,
            media: media
        )
        setup.time = time
        setup.traits.promptAnswer = promptAnswer
        change(&setup)
        phone = try SimulatedPhone(setup, folder: folder.url)
    }

    var system: SimulatedSystem { phone.system }

    /// The one visible notification.
    var visible: UNNotification? { system.visible.count == 1 ? system.visible.first : nil }

    @discardableResult
    func receive(_ payload: Data, collapseID: String? = "c1") async -> SimulatedArrival {
        await phone.receive(SimulatedPush(payload: payload, collapseID: collapseID))
    }
}
