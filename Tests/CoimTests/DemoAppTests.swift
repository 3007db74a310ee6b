import Carillon
import CarillonTestKit
import FacadeSupport
import Foundation
import SampledCoim
import Testing
import UIKit

@testable import Coim

@Suite("The demo app's sequence")
struct DemoAppTests {
    @Test("The sample calls what the vendor's demo app calls, from the login to the logout") func wholeSequence() async
    {
        let server = ScriptedServer { .json(Fixtures.demo($0)) }
        let phone = CoimPhone(server)
        let screen = Screen()
        let guide = await phone.run { ArtsGuide { screen.show($0) } }
        let day = Date(timeIntervalSince1970: 1_397_433_600)  // 2014-04-14 in Taipei
        #expect(await screen.after(phone) { guide.start() } == "login")
        #expect(await screen.after(phone) { guide.logIn("alice", "secret") } == "categories")
        #expect(await screen.after(phone) { guide.start() } == "categories")
        #expect(await screen.after(phone) { guide.listEvents(category: "1", from: day) } == "events: 春之夜, 海港合唱")
        #expect(await screen.after(phone) { guide.showEvent("53a1") } == "event: 春之夜, 藝文中心")
        let stops = await screen.after(phone) { guide.listStops(latitude: "22.626400", longitude: "120.265700") }
        #expect(stops == "stops: 中山大學")
        #expect(await screen.after(phone) { guide.listRoutes(stop: "t1") } == "routes: 橘9")
        #expect(await screen.after(phone) { guide.listArrivals(route: "r1") } == "arrivals: 甲站 10:53, 乙站")
        #expect(await screen.after(phone) { guide.logOut() } == "login")
        #expect(await screen.after(phone) { guide.start() } == "login")

        #expect(
            server.requests.map(\.operation) == [
                "core/user/profile", "core/user/login", "core/user/profile", "twShow/show/byCity/15",
                "twShow/show/info/53a1", "twCtBus/busStop/search", "twCtBus/busStop/routes/t1",
                "twCtBus/busRoute/next/r1", "core/user/logout", "core/user/profile",
            ]
        )
        var query = server.requests[3].body
        query["_key"] = nil
        #expect(query == ["cat": "1", "fromTm": "2014-04-14", "toTm": "2014-04-21", "token": Fixtures.token])
        #expect(server.requests[4].body["detail"] == "1")
    }

    @Test("The sample's form makes an account and shows what the server refuses") func register() async {
        let server = ScriptedServer { request in
            switch request.operation {
            case "core/user/register" where request.body["accName"] == "bob": .json(Fixtures.registration)
            case "core/user/register": .json(#"{"errCode":-4,"message":"Database error"}"#)
            default: .json(Fixtures.login)
            }
        }
        let phone = await CoimPhone(server).start()
        let screen = Screen()
        let guide = await phone.run { ArtsGuide { screen.show($0) } }
        #expect(
            await screen.after(phone) { guide.register("alice", "secret", again: "secret") }
                == "register: refused, Database error"
        )
        #expect(await screen.after(phone) { guide.register("bob", "secret", again: "secret") } == "categories")
        #expect(await phone.token == Fixtures.token)
    }

    @Test("A message is shown over the topmost screen, with the vendor's title") func alerts() async throws {
        let phone = try TestKitPhone(server: TestKitServer()) { Delegate() }
        await phone.openApp()
        await phone.run {
            await MainActor.run {
                // Without a window there is nowhere to show it.
                coimSDK.alertMessage("nowhere")
                let window = UIWindow(frame: UIScreen.main.bounds)
                window.windowScene = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }.first
                let (root, settings) = (UIViewController(), UIViewController())
                window.rootViewController = root
                window.makeKeyAndVisible()
                root.present(settings, animated: false)
                coimSDK.showAlert("帳號或密碼不得為空")

                let alert = settings.presentedViewController as? UIAlertController
                #expect(alert?.title == "相關訊息" && alert?.message == "帳號或密碼不得為空")
                #expect(alert?.preferredStyle == .alert && alert?.actions.map(\.title) == ["確定"])
                if let alert, let action = alert.actions.first { alert.press(action) }
                #expect(settings.presentedViewController == nil)
            }
        }
    }
}

private final class Delegate: UIResponder, UIApplicationDelegate {}

/// What the sample shows, one text a call.
@MainActor
private final class Screen {
    private var shown = OneShot<String>()

    nonisolated init() {}

    func show(_ text: String) { shown.complete(text) }

    /// What is shown next.
    func after(_ phone: CoimPhone, _ action: @MainActor @Sendable () -> Void) async -> String {
        let next = OneShot<String>()
        shown = next
        await phone.run(action)
        return await next.wait()
    }
}
