import CallKit
import Carillon
import CoreLocation
import Foundation
import PhoneSimulator
import PushKit
import Testing
import UIKit
import UserNotifications
import WebKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What the simulated frameworks do by themselves, beside what the SDK's tests show of them.
@Suite("The simulated frameworks")
@MainActor
struct SimulatedFrameworksTests {
    private let system = SimulatedSystem()

    private func onPhone<Result>(_ body: () throws -> Result) rethrows -> Result {
        try SimulatedSystem.$current.withValue(system, operation: body)
    }

    @Test("CallKit refuses an id that it knows, and lists a call a turn later, as ended when it ends")
    func listsCalls() async throws {
        let (id, provider, observer) = onPhone {
            (UUID(), CXProvider(configuration: CXProviderConfiguration()), CXCallObserver())
        }
        for expected in [nil, CXErrorCodeIncomingCallError.Code.callUUIDAlreadyExists] {
            let error = await withCheckedContinuation { continuation in
                provider.reportNewIncomingCall(with: id, update: CXCallUpdate()) { continuation.resume(returning: $0) }
                if expected == nil { #expect(observer.calls.isEmpty) }
            }
            #expect((error as? CXErrorCodeIncomingCallError)?.code == expected)
        }
        #expect(observer.calls.map(\.uuid) == [id] && observer.calls.map(\.hasEnded) == [false])
        provider.reportCall(with: id, endedAt: nil, reason: .remoteEnded)
        #expect(observer.calls.map(\.hasEnded) == [true])
    }

    @Test("Two providers, and completion handlers off the main thread, are complaints") func complains() async throws {
        let providers = onPhone { (0..<2).map { _ in CXProvider(configuration: CXProviderConfiguration()) } }
        #expect(system.complaints == ["a second CXProvider was made"])
        withExtendedLifetime(providers) {}

        let test = try TestPhone()
        try await test.phone.register()
        await test.receive(Sample.payload())
        await test.phone.inside { phone in
            await MainActor.run {
                // The SDK would call the handler of a delegate that is set later on the main thread.
                phone.app?.carillon.stop()
                phone.system.center.delegate = OffMainDelegate.shared
            }
        }
        await test.phone.respond(.tap, to: "c1")
        #expect(test.system.complaints == ["a response's completion handler was called off the main thread"])
    }

    @Test("PushKit has a token only for what the app asks for") func givesRequestedTokens() {
        onPhone {
            let telephone: SimulatedTelephone = system.part()
            telephone.give(Data([1, 2, 3]))
            let registry = PKPushRegistry(queue: .main)
            #expect(registry.pushToken(for: .voIP) == nil && !telephone.takesCalls)
            registry.desiredPushTypes = [.voIP]
            #expect(registry.pushToken(for: .voIP) == Data([1, 2, 3]) && telephone.takesCalls)
            system.killApp()
            #expect(!telephone.takesCalls)
        }
    }

    @Test("The location permission is requested once, and the person's answer is kept") func asksForLocationOnce() {
        onPhone {
            let compass: SimulatedCompass = system.part()
            compass.promptAnswer = .denied
            let manager = CLLocationManager()
            #expect(manager.authorizationStatus == .notDetermined)
            manager.requestWhenInUseAuthorization()
            compass.promptAnswer = .authorizedWhenInUse
            manager.requestWhenInUseAuthorization()

            #expect(manager.authorizationStatus == .denied && compass.promptCount == 1)
        }
    }

    @Test("A web view without delegates follows links and opens no window") func followsLinks() {
        let view = WKWebView(frame: .zero, configuration: WKWebViewConfiguration())
        view.load(URLRequest(url: URL(string: "https://a.example/1")!))
        view.follow(URL(string: "https://a.example/2")!)
        view.follow(URL(string: "https://a.example/3")!, opensWindow: true)

        #expect(view.url?.lastPathComponent == "2")
    }

    @Test("A screen presents one other at a time, and dismissing a part of that one dismisses all of it")
    func presentsOneScreen() {
        let (host, part, other) = (UIViewController(), UIViewController(), UIViewController())
        host.present(UINavigationController(rootViewController: part), animated: false)
        host.present(other, animated: false)
        #expect(host.presentedViewController is UINavigationController)
        part.dismiss(animated: false)

        #expect(host.presentedViewController == nil)
    }

    @Test("A view is a part of one other view at a time") func movesViews() {
        let (one, two, part) = (UIView(frame: .zero), UIView(frame: .zero), UIView(frame: .zero))
        one.addSubview(part)
        two.addSubview(part)

        #expect(one.subviews.isEmpty && two.subviews == [part] && part.superview === two)
    }

    @Test("The number on the icon is the one that was set last") func keepsTheBadge() {
        onPhone {
            UNUserNotificationCenter.current().setBadgeCount(4)
            #expect(system.badge == 4)
            UNUserNotificationCenter.current().setBadgeCount(0)
            #expect(system.badge == 0)
        }
    }
}

/// A delegate whose completion handlers are called where its work ends.
private final class OffMainDelegate: NSObject, UNUserNotificationCenterDelegate, Sendable {
    static let shared = OffMainDelegate()

    func userNotificationCenter(
        _ center: UNUserNotificationCenter,
        didReceive response: UNNotificationResponse,
        withCompletionHandler completionHandler: @escaping @Sendable () -> Void
    ) {
        Task.detached { completionHandler() }
    }
}
