import Carillon
import CarillonModel
import CarillonPages
import Foundation
import PhoneSimulator
import Testing
import UIKit
import UserNotifications
import WebKit

@Suite("Surveys")
struct SurveyTests {
    private static let link = "https://survey.example.com/q?id=12&lang=ja"
    private static let id = "3D0B0C0E-7C5C-4D2E-9A7B-0A1B2C3D4E5F"

    private func message(_ fields: [String: Any], _ others: [String: Any] = [:]) throws -> PushMessage {
        let own: [String: Any] = ["o": "\(Sample.occurrence())", "r": Sample.receipt]
        let userInfo = ["carillon": own.merging(fields) { $1 }].merging(others) { $1 }
        return try #require(PushMessage(userInfo: userInfo))
    }

    @Test("R-06 what is opened is the link, &pf=ios&cruuid= and the id, put together as they are")
    func url() throws {
        let push = try message(["link": Self.link, "survey": true])
        let expected = Self.link + "&pf=ios&cruuid=" + Self.id

        #expect(SurveyLink.text(for: Self.link, id: Self.id) == expected)
        #expect(SurveyLink.url(for: push, id: Self.id)?.absoluteString == expected)
    }

    @Test("R-14, R-15 a message of the inbox is extended in the same way; one without a link leads nowhere")
    func inbox() {
        var entry = Sample.inboxMessage(1)
        entry.isSurvey = true
        #expect(SurveyLink.url(for: entry, id: Self.id) == nil)
        entry.link = Self.link
        #expect(SurveyLink.url(for: entry, id: Self.id)?.absoluteString.hasSuffix("&pf=ios&cruuid=" + Self.id) == true)
    }

    @Test("R-03, R-01, R-02 a survey is what says so: CORE RESEARCH's text 1, or our own mark")
    func marks() throws {
        #expect(try message(["link": Self.link], ["CoreResearch": "1"]).isSurvey)
        #expect(try message(["link": Self.link, "survey": true]).isSurvey)
        for other: Any in ["0", 1, true, "", "01"] {
            #expect(try !message(["link": Self.link], ["CoreResearch": other]).isSurvey)
        }
        #expect(try !message(["link": Self.link]).isSurvey)
    }

    @Test("R-04 a survey without a link, or with an empty one, opens nothing", arguments: [String?.none, ""])
    @MainActor
    func noLink(link: String?) throws {
        var fields: [String: Any] = ["survey": true]
        fields["link"] = link
        let push = try message(fields)

        #expect(!push.isSurvey && SurveyLink.url(for: push, id: Self.id) == nil)
        #expect(SurveyController(for: push, id: Self.id) == nil)
    }

    @Test("R-08 the id is there, the same at each call and after a restart")
    func stable() throws {
        let test = try TestClient()
        let id = test.client.surveyID

        #expect(UUID(uuidString: id) != nil && test.client.surveyID == id)
        #expect(try test.restarted().client.surveyID == id)
    }

    @Test("R-09 the id differs between installations, and is neither the Device's nor anything of the hardware")
    func anonymous() async throws {
        let folders = try [TemporaryFolder(), TemporaryFolder()]
        let ids = try folders.map { folder in
            var configuration = CarillonConfiguration(server: URL(string: "https://push.example.com")!, appKey: "k")
            configuration.storage = folder.url
            return try CarillonClient(configuration, transport: NoTransport()).surveyID
        }
        #expect(ids[0] != ids[1])
        let test = try TestClient()
        let registered = try await test.client.register(consent: Sample.consent)
        let id = test.client.surveyID

        #expect(id.lowercased() != registered.device.description.lowercased())
        #expect(test.server.requests.allSatisfy { !String(decoding: $0.body ?? Data(), as: UTF8.self).contains(id) })
    }

    @Test("R-10 it opens from in front, from behind and at a cold start; the system is never asked to")
    func opens() async throws {
        let launches = Launches()
        let test = try TestPhone { $0.onLaunch = { launches.add($0.carillon, $1) } }
        try await test.phone.register()
        let payload = { (number: UInt32) in
            Sample.payload(number, carillon: ["link": Self.link, "survey": true])
        }
        await test.receive(payload(1), collapseID: "c1")
        await test.phone.respond(.tap, to: "c1")
        await test.system.openApp()
        await test.receive(payload(2), collapseID: "c2")
        test.system.leaveApp()
        await test.receive(payload(3), collapseID: "c3")
        while (launches.heard.first?.events.count ?? 0) < 2 { await Task.yield() }
        await test.phone.switchOff()
        await test.phone.respond(.tap, to: "c3")

        let messages = launches.heard.flatMap(\.events).map(\.message)
        #expect(messages.count == 3 && Set(messages.map(\.id)).count == 3)
        try await test.phone.inside { _ in
            for message in messages { try await Self.show(message) }
        }
        #expect(test.system.openedURLs.isEmpty)
    }

    /// Opens a push's survey as an app does, and closes it.
    @MainActor
    private static func show(_ message: PushMessage) throws {
        let controller = try #require(SurveyController(for: message, id: id))
        let host = UIViewController()
        let screen = SurveyViewController(controller)
        #expect(controller.state == .new)
        host.present(screen.inNavigation(), animated: false)
        #expect(controller.state == .open && host.presentedViewController != nil)
        #expect(screen.webView?.url?.absoluteString == link + "&pf=ios&cruuid=" + id)
        screen.dismiss(animated: false)
        #expect(controller.state == .closed)
    }

    @Test("R-10 it shows itself over the topmost screen of the app's window; without a window it is not shown")
    func topmost() async throws {
        let test = try TestPhone()
        let url = try #require(URL(string: Self.link + "&pf=ios&cruuid=" + Self.id))
        await test.system.openApp()
        await test.phone.inside { _ in
            await MainActor.run {
                #expect(SurveyViewController.present(url) == nil)
                let window = UIWindow(windowScene: UIApplication.shared.scene ?? UIWindowScene())
                let (root, settings) = (UIViewController(), UIViewController())
                window.rootViewController = root
                window.makeKeyAndVisible()
                root.present(settings, animated: false)

                let survey = SurveyViewController.present(url, animated: false)
                #expect(survey?.webView?.url == url && survey?.controller.state == .open)
                #expect(settings.presentedViewController === survey?.navigationController)
                survey?.dismiss(animated: false)
                #expect(settings.presentedViewController == nil && root.presentedViewController === settings)
            }
        }
    }

    @Test("S1-h6 What a survey's page stores is gone with it")
    @MainActor
    func storesNothing() throws {
        let url = try #require(URL(string: Self.link + "&pf=ios&cruuid=" + Self.id))
        let screen = SurveyViewController(SurveyController(url: url))
        UIViewController().present(screen.inNavigation(), animated: false)

        #expect(screen.webView?.configuration.websiteDataStore.isPersistent == false)
    }

    @Test("R-23 its close button dismisses it; nothing in texts becomes a link; links stay inside")
    @MainActor
    func view() throws {
        let url = try #require(URL(string: Self.link + "&pf=ios&cruuid=" + Self.id))
        let controller = SurveyController(url: url)
        var closings = 0
        controller.onClose = { closings += 1 }
        let screen = SurveyViewController(controller)
        let host = UIViewController()
        host.present(screen.inNavigation(), animated: false)
        let web = try #require(screen.webView)
        #expect(controller.state == .open && web.url == url && web.configuration.dataDetectorTypes == [])

        web.follow(URL(string: "https://survey.example.com/page2")!)
        #expect(web.url?.lastPathComponent == "page2")
        web.follow(URL(string: "https://survey.example.com/window")!, opensWindow: true)
        #expect(web.url?.lastPathComponent == "window")
        for link in ["tel:110", "mailto:a@example.com", "itms-apps://x", "javascript:alert(1)"] {
            web.follow(URL(string: link)!)
            web.follow(URL(string: link)!, opensWindow: true)
        }
        #expect(web.url?.lastPathComponent == "window")

        #expect(web.loadFrame(URL(string: "about:srcdoc")!))
        #expect(web.url?.lastPathComponent == "window")

        host.presentedViewController?.cover()
        #expect(controller.state == .open && closings == 0)
        screen.navigationItem.rightBarButtonItem?.press()
        #expect(host.presentedViewController == nil && controller.state == .closed && closings == 1)
        controller.close()
        #expect(closings == 1)
    }
}
