import CallKit
import Carillon
import CarillonCalls
import CarillonModel
import Foundation
import PhoneSimulator
import PushKit
import Testing
import UIKit
import UserNotifications

@Suite("Calls")
struct CallTests {
    private func phone(_ reports: CallLog.Way = .not) throws -> (TestPhone, CallLog) {
        let log = CallLog(reports)
        let test = try TestPhone {
            $0.onLaunch = { app, _ in
                log.install(on: app.voIP)
                app.voIP.start()
            }
        }
        test.telephone.give(Data(Sample.token(7).bytes))
        return (test, log)
    }

    private static let push = Sample.payload(alert: ["title": "Alice", "body": "calls"])

    @Test("T-126 registering needs neither permission nor consent")
    func register() async throws {
        let (test, _) = try phone()
        await test.system.openApp()
        let record = try await test.voIP { try await $0.register() }

        #expect(record.pushType == .apnsVoIP && record.tokenState == .active)
        #expect(test.system.promptCount == 0)
        #expect(test.server.registrations.map(\.consent.notifications) == [false])
        #expect(test.server.registrations.map(\.token) == [nil])
        #expect(test.server.with { $0.calls.values.map(\.token) } == [Sample.token(7)])
    }

    @Test("T-128 both tokens are registered, asked for and unregistered apart from each other")
    func apart() async throws {
        let (test, _) = try phone()
        try await test.phone.register(user: UserID(rawValue: "u1"))
        let missing = await #expect(throws: CarillonError.self) { try await test.voIP { try await $0.fetchRecord() } }
        #expect(missing?.code == .notRegistered)
        try await test.voIP { _ = try await $0.register() }
        #expect(try await test.voIP { try await $0.fetchRecord() }.tokenState == .active)
        try await test.voIP { try await $0.unregister() }
        #expect(test.server.with(\.calls).isEmpty)
        #expect(test.server.registrations.map(\.token) == [Sample.token()])

        try await test.voIP { _ = try await $0.register() }
        try await test.phone.inside { phone in try await phone.app?.carillon.client.unregister() }
        #expect(test.server.registrations.map(\.token) == [nil])
        #expect(test.server.with { $0.calls.values.map(\.token) } == [Sample.token(7)])
    }

    @Test("T-127 a call is told, also by an app that did not run, and reported once if the app has not done so")
    func killed() async throws {
        let (test, log) = try phone()
        await test.system.openApp()
        try await test.voIP { _ = try await $0.register() }
        await test.phone.switchOff()
        #expect(await test.system.receiveCall(Self.push))

        #expect(log.calls.map(\.title) == ["Alice"])
        #expect(test.telephone.calls.map(\.caller) == ["Alice"])
        #expect(test.system.complaints.isEmpty && test.system.appState == .background)
    }

    @Test(
        "T-127 a call that the app has reported is not reported again",
        arguments: [
            CallLog.Way.bySDK, .byOwnProvider, .byOwnProviderAndOwnID,
        ]
    )
    func reported(way: CallLog.Way) async throws {
        let (test, log) = try phone(way)
        await test.system.openApp()
        #expect(await test.system.receiveCall(Self.push))

        #expect(log.calls.count == 1 && test.telephone.calls.count == 1)
        #expect(test.telephone.calls.allSatisfy { !$0.hasEnded })
        #expect(test.system.complaints.isEmpty)
    }

    @Test("T-127 an app that reports a call and does not say so keeps PushKit waiting for ten seconds at most")
    func unmarked() async throws {
        let (test, log) = try phone(.byOwnProviderUnmarked)
        await test.system.openApp()
        let clock = Task {
            while !Task.isCancelled {
                // Not before CallKit has answered.
                if !test.telephone.listedCalls.isEmpty { test.time.advance(11) }
                await Task.yield()
            }
        }
        let isReported = await test.system.receiveCall(Self.push)
        clock.cancel()

        #expect(isReported && log.calls.count == 1 && test.telephone.calls.count == 1)
        #expect(test.system.complaints.isEmpty)
    }

    @Test("The app's own provider can take the place of the SDK's") func injectsProvider() async throws {
        let test = try TestPhone {
            $0.onLaunch = { app, _ in
                app.voIP.provider = CXProvider(configuration: CXProviderConfiguration())
                app.voIP.start()
            }
        }
        await test.system.openApp()
        #expect(await test.system.receiveCall(Self.push))

        #expect(test.telephone.calls.count == 1 && test.system.complaints.isEmpty)
    }

    @Test("T-127 a copy of a push does not ring twice, and is told once")
    func copy() async throws {
        let (test, log) = try phone()
        await test.system.openApp()
        #expect(await test.system.receiveCall(Self.push))
        #expect(await test.system.receiveCall(Self.push))

        #expect(log.calls.count == 1 && test.telephone.calls.count == 1)
        #expect(test.system.complaints.isEmpty)
    }

    @Test("A copy of a call that has ended does not ring") func copyOfEndedCall() async throws {
        let (test, log) = try phone()
        await test.system.openApp()
        #expect(await test.system.receiveCall(Self.push))
        test.telephone.end(test.telephone.calls[0].id)
        test.time.advance(11)
        #expect(await test.system.receiveCall(Self.push))

        #expect(log.calls.count == 1)
        #expect(test.telephone.calls.map(\.hasEnded) == [true, true])
        #expect(Set(test.telephone.calls.map(\.id)).count == 2)
        #expect(test.system.complaints.isEmpty)
    }

    @Test("A call that nobody can answer is ended") func endsUnanswerableCalls() async throws {
        let test = try TestPhone { $0.onLaunch = { app, _ in app.voIP.start() } }
        await test.system.openApp()
        #expect(await test.system.receiveCall(Self.push))
        #expect(await test.system.receiveCall(Data(#"{"aps":{},"other":1}"#.utf8)))

        #expect(test.telephone.calls.map(\.hasEnded) == [true, true])
    }

    @Test("The app reports a call as received, because no extension runs") func reportsReceived() async throws {
        let (test, _) = try phone()
        await test.system.openApp()
        await test.system.receiveCall(Self.push)
        while test.server.events.isEmpty { await Task.yield() }

        #expect(test.server.events == ["\(Sample.occurrence()) received"])
    }

    @Test("A call's id depends on its push: the same for the same push, another for another")
    func derivesCallIDs() throws {
        func id(_ number: UInt32) throws -> UUID {
            let own = ["o": Sample.occurrence(number).description, "r": Sample.receipt]
            return try #require(PushMessage(userInfo: ["carillon": own])).callID
        }
        #expect(try id(1) == id(1))
        #expect(Set(try (1...200).map { try id($0) }).count == 200)
        #expect(try id(1).uuidString.dropFirst(14).first == "8")
    }

    @Test("A changed VoIP token is sent by itself after the app has registered one")
    func sendsChangedTokens() async throws {
        let (test, _) = try phone()
        await test.system.openApp()
        test.telephone.give(Data(Sample.token(8).bytes))
        try await test.voIP { _ = try await $0.register() }
        test.telephone.give(Data(Sample.token(9).bytes))
        while test.server.with({ $0.calls.values.first?.token }) != Sample.token(9) { await Task.yield() }

        #expect(test.server.personRequests.filter { $0 == "PUT voip" }.count == 2)
    }

    @Test("Registering without a VoIP token from the system fails with a clear error")
    func failsWithoutTokens() async throws {
        let test = try TestPhone { $0.onLaunch = { app, _ in app.voIP.start() } }
        await test.system.openApp()
        let ended = OneShot<Void>()
        let waiting = Task {
            defer { ended.complete(()) }
            try await test.voIP { _ = try await $0.register() }
        }
        let clock = Task {
            while !Task.isCancelled {
                test.time.advance(31)
                await Task.yield()
            }
        }
        await ended.wait()
        clock.cancel()
        let error = await #expect(throws: CarillonError.self) { try await waiting.value }

        #expect(error?.code == .deadlineExceeded)
    }

    @Test("A VoIP token waits on disk while offline and is sent after a restart") func sendsTokensLater() async throws {
        let test = try TestClient()
        test.server.answerAlways(nil)
        let error = await #expect(throws: CarillonError.self) { try await test.client.setVoIPToken(Sample.token(7)) }
        #expect(error?.code == .unreachable)
        test.server.recover()
        let again = try test.restarted()
        await again.client.refresh()

        #expect(test.server.with { $0.calls.values.map(\.token) } == [Sample.token(7)])
        #expect(test.server.with { $0.calls.values.map(\.pushType) } == [.apnsVoIPSandbox])
        try await again.client.setVoIPToken(Sample.token(7))
        #expect(test.server.personRequests.filter { $0 == "PUT voip" }.count == 1)
    }

    @Test("An unreachable server is asked at most sixty times in five minutes, whatever is pending")
    func backsOff() async throws {
        let test = try TestClient()
        try await test.client.setUser(UserID(rawValue: "u1"))
        test.server.with { $0.inbox = [Sample.inboxMessage(1)] }
        try await test.client.fetchInbox()
        test.server.answerAlways(nil)
        await #expect(throws: CarillonError.self) { try await test.client.setVoIPToken(Sample.token(7)) }
        await #expect(throws: CarillonError.self) { try await test.client.setUser(UserID(rawValue: "u2")) }
        try await test.client.markRead(Sample.occurrence(5))
        let before = test.server.requests.count
        let running = Task { await test.client.run() }
        for _ in 1...300 {
            await test.time.untilSleeping(1)
            test.time.advance(1)
        }
        running.cancel()
        let asked = test.server.requests.count - before

        #expect((3...60).contains(asked), "asked \(asked) times in five minutes")
    }

    @Test("A Device that the server lost is registered again, then its VoIP token is sent")
    func registersLostDevices() async throws {
        let test = try TestClient()
        try await test.client.register(consent: Sample.consent)
        test.server.forget()
        try await test.client.setVoIPToken(Sample.token(7))
        #expect(test.server.deviceMethods == ["PUT", "PUT"])
        #expect(test.server.registrations.map(\.consent) == [Sample.consent])
        #expect(test.server.with { $0.calls.values.map(\.token) } == [Sample.token(7)])
        test.server.with { $0.calls = [:] }
        let error = await #expect(throws: CarillonError.self) { try await test.client.fetchVoIPRecord() }

        #expect(error?.code == .notRegistered)
    }

    @Test("A removal that does not reach the server is sent later; one that it does not know succeeds")
    func removesLater() async throws {
        let test = try TestClient()
        try await test.client.setVoIPToken(Sample.token(7))
        test.server.answerAlways(nil)
        await #expect(throws: CarillonError.self) { try await test.client.removeVoIPToken() }
        test.server.recover()
        await (try test.restarted()).client.refresh()
        #expect(test.server.with(\.calls).isEmpty)
        try await test.restarted().client.removeVoIPToken()

        #expect(test.server.personRequests.filter { $0 == "DELETE voip" }.count == 2)
    }

    @Test("The system ends an app that does not report its call") func endsSilentApps() async throws {
        let test = try TestPhone()
        await test.system.openApp()
        #expect(await !test.system.receiveCall(Self.push))

        #expect(test.system.appState == .notRunning && test.system.complaints.count == 1)
    }
}

/// An app's delegate for calls.
@MainActor
final class CallLog: CarillonVoIPDelegate {
    /// Whether and how the app reports calls.
    enum Way: Sendable, CaseIterable {
        case not, bySDK, byOwnProvider, byOwnProviderAndOwnID, byOwnProviderUnmarked
    }

    private let way: Way
    private(set) nonisolated(unsafe) var calls: [PushMessage] = []
    private var provider: CXProvider?

    nonisolated init(_ way: Way) { self.way = way }

    func install(on voIP: CarillonVoIP) {
        voIP.delegate = self
        if way != .not && way != .bySDK { voIP.reporting = .app }
    }

    func carillonVoIP(_ voIP: CarillonVoIP, didReceive call: IncomingCall) {
        calls.append(call.message)
        switch way {
        case .not: break
        case .bySDK:
            call.report()
            call.report()
        case .byOwnProvider, .byOwnProviderAndOwnID, .byOwnProviderUnmarked:
            let provider = CXProvider(configuration: CXProviderConfiguration())
            let way = way
            let id = way == .byOwnProvider ? call.id : UUID()
            provider.reportNewIncomingCall(with: id, update: CXCallUpdate()) { _ in
                Task { @MainActor in if way != .byOwnProviderUnmarked { call.markReported() } }
            }
            self.provider = provider
        }
    }
}

extension TestPhone {
    var telephone: SimulatedTelephone { system.part() }

    /// Runs something of the app's part for calls.
    func voIP<Value: Sendable>(
        _ body: @escaping @MainActor @Sendable (CarillonVoIP) async throws -> Value
    ) async throws -> Value {
        try await phone.inside { phone in
            guard let voIP = await phone.app?.voIP else { throw CancellationError() }
            return try await body(voIP)
        }
    }
}
