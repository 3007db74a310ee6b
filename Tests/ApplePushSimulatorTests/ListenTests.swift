import Logging
import NIOCore
import NIOPosix
import Testing

@testable import ApplePushSimulator

struct ListenTests {
    @Test("The error of a port in use names the port's purpose", arguments: [true, false])
    func taken(_ isControl: Bool) async throws {
        let other = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(other.localAddress?.port)
        var configuration = SimulatorConfiguration()
        configuration.listener.name = "production"
        configuration.listener.port = isControl ? 0 : port
        configuration.controlPort = isControl ? port : 0
        let simulator = try APNsSimulator(
            configuration: configuration,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )

        await #expect {
            try await simulator.run()
        } throws: { error in
            let purpose = isControl ? "the control API" : "production"
            return "\(error)" == "The port \(port) for \(purpose) is in use by another program."
        }
        await #expect(throws: ListenFailure.self) { try await simulator.addresses() }
        try await other.close().get()
    }
}
