import Carillon
import CarillonTestKit
import Foundation
import Testing
import UserNotifications

@testable import FacadeSupport
@testable import ToastPush

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("TOAST Push's error codes, each reached")
struct ErrorTests {
    private func outcome(of fault: TestKitServer.Fault) async throws -> Outcome<ToastPushTokenInfo> {
        let phone = try await ToastPhone()
        phone.server.always(fault)
        let outcome = await phone.register()
        #expect(outcome.value == nil && outcome.isOnMain)
        return outcome
    }

    private func urlError(_ code: URLError.Code) -> TestKitServer.Fault { .error(URLError(code)) }

    @Test("T-100 an unsuccessful status is 101", arguments: [404, 403, 500, 503])
    func status(_ status: Int) async throws {
        let outcome = try await outcome(of: .answer(TransportAnswer(status: status)))
        #expect(outcome.code == 101 && outcome.domain == ToastHttpErrorDomain)
    }

    @Test("T-100 offline is 100, a timeout is 102")
    func network() async throws {
        let offline = try await outcome(of: urlError(.notConnectedToInternet))
        #expect(offline.code == 100 && offline.domain == ToastHttpErrorDomain)
        let late = try await outcome(of: urlError(.timedOut))
        #expect(late.code == 102 && late.domain == ToastHttpErrorDomain)
    }

    @Test("T-100 a response that is not JSON is 105, and one with another content is 9")
    func answers() async throws {
        let page = try await outcome(of: .answer(TransportAnswer(status: 200, body: Data("<html>".utf8))))
        #expect(page.code == 105 && page.domain == ToastHttpErrorDomain)
        let other = try await outcome(of: .answer(TransportAnswer(status: 200, body: Data(#"{"a":1}"#.utf8))))
        #expect(other.code == 9 && other.domain == ToastPushErrorDomain)
    }

    @Test("A call that waits for a request the SDK itself has begun has that request's failure, and no earlier one")
    func joinedRequests() {
        let others = RecordedFailures()
        others.add(.status(500))
        let notes = CallNotes(others: others)
        #expect(notes.last == nil)
        others.add(.badURL)
        #expect(notes.last == .badURL)
        notes.add(.json)
        others.add(.status(404))
        #expect(notes.last == .json)
        notes.add(nil)
        #expect(notes.last == nil, "the call's own request had a failure without a code of its own")
    }

    @Test("Parameters that the server refuses give 103") func refusedParametersAre103() async throws {
        let outcome = try await outcome(of: .answer(.problem(422, "invalid-request")))
        #expect(outcome.code == 103 && outcome.domain == ToastHttpErrorDomain)
    }

    @Test("An invalid or missing URL gives 104") func invalidURLIs104() async throws {
        let unsupported = try await outcome(of: urlError(.unsupportedURL))
        #expect(unsupported.code == 104, "\(unsupported)")
        let none = try await ToastPhone(setup: { $0.info = [:] })
        let outcome = await none.register()
        #expect(outcome.code == 104 && outcome.domain == ToastHttpErrorDomain)
        #expect(outcome.text?.contains("CarillonServerURL") == true)
    }

    @Test("A server without TLS gives 107, by configuration or by the system") func plainHTTPIs107() async throws {
        let plain = try await ToastPhone(configure: { $0.serverURL = URL(string: "http://push.example.com") })
        let outcome = await plain.register()
        #expect(outcome.code == 107 && outcome.domain == ToastHttpErrorDomain)
        #expect(try await self.outcome(of: urlError(.appTransportSecurityRequiresSecureConnection)).code == 107)
    }

    @Test("T-93 the same request while it is in flight is 106")
    func repeated() async throws {
        let phone = try await ToastPhone()
        await phone.register()
        phone.server.next(.hold)
        async let first = phone.query()
        await phone.server.untilHolding()
        let second = await phone.query()
        phone.server.release()
        #expect(second.code == 106 && second.domain == ToastHttpErrorDomain)
        #expect(await first.code == nil)
    }

    @Test("A phone without a device token gives 4") func missingTokenIs4() async throws {
        let phone = try await ToastPhone()
        phone.phone.system.token = nil
        let outcome = await phone.register()
        #expect(outcome.code == 4 && outcome.domain == ToastPushErrorDomain)
    }

    @Test("An invalid parameter gives 7") func invalidParameterIs7() async throws {
        let phone = try await ToastPhone()
        await phone.setUser("x")
        let tag: Outcome<Set<String>> = await phone.call { ToastPush.addUserTag(["short"], completion: $0) }
        #expect(tag.code == 7 && tag.domain == ToastPushErrorDomain)
        await phone.setUser(String(repeating: "x", count: 200))
        #expect(await phone.register().code == 7)
    }

    @Test("A call that only an app can make gives 8 in a service extension")
    func appCallsInAnExtensionAre8() async throws {
        let dependencies = FacadeDependencies(isExtension: true, info: { _ in nil })
        let outcome: Outcome<ToastPushTokenInfo> = await FacadeDependencies.$current.withValue(dependencies) {
            ToastPush.initialize(configuration: ToastPushConfiguration(appKey: TestKitServer.appKey))
            return await withCheckedContinuation { continuation in
                ToastPush.register { info, error in continuation.resume(returning: Outcome(info, error)) }
            }
        }
        #expect(outcome.code == 8 && outcome.domain == ToastPushErrorDomain)
    }

    @Test("Other errors give 0, and every code has its documented number") func otherErrorsAre0() {
        struct Strange: Error {}
        let strange = ToastErrors.translate(Strange(), nil) as NSError
        #expect(strange.domain == ToastPushErrorDomain && strange.code == 0)
        #expect(ToastPushError.Code.allCases.map(\.rawValue) == Array(0...9))
        #expect(ToastHttpError.Code.allCases.map(\.rawValue) == Array(100...107))
    }
}
