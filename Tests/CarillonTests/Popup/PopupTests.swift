import Carillon
import CarillonModel
import CarillonPages
import Foundation
import PhoneSimulator
import Testing
import UIKit
import UserNotifications
import WebKit

@Suite("A popup")
@MainActor
struct PopupTests {
    private let parent = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))

    private func view(_ popup: Popup = Popup(title: "News", url: URL(string: "https://a.example/")!)) -> PopupView {
        PopupView(popup, frame: CGRect(x: 45, y: 200, width: 300, height: 400), over: parent)
    }

    @Test("C-95 it is built before it is shown; it tells will-appear, did-appear, did-disappear, and a tap outside")
    func order() {
        let view = view()
        let log = PopupLog()
        view.controller.delegate = log
        view.controller.show()
        #expect(log.told.isEmpty && parent.subviews.isEmpty)
        view.controller.buildLayout()
        #expect(view.titleLabel?.text == "News" && log.told.isEmpty)
        view.controller.show()
        #expect(log.told == ["will", "did"] && parent.subviews.count == 2 && parent.subviews.last === view)
        view.controller.show()
        view.closeButton?.sendActions(for: .touchUpInside)

        #expect(log.told == ["will", "did", "gone"] && parent.subviews.isEmpty)
    }

    @Test("C-95 a tap outside is told, and closes it unless it is told not to", arguments: [true, false])
    func outside(closes: Bool) {
        let view = view(Popup(title: "News", closesOnOutsideTap: closes))
        let log = PopupLog()
        view.controller.delegate = log
        view.controller.tapOutside()
        view.controller.buildLayout()
        view.controller.show()
        view.outside?.sendActions(for: .touchUpInside)

        #expect(log.told == ["will", "did", "outside"] + (closes ? ["gone"] : []))
        #expect(view.controller.isShown == !closes)
    }

    @Test("S1-h6 What a popup's page stores is gone with it")
    func storesNothing() throws {
        let view = view()
        view.controller.buildLayout()

        let page = try #require(view.contentView?.subviews.first as? WKWebView)
        #expect(!page.configuration.websiteDataStore.isPersistent)
        #expect(WKWebViewConfiguration().websiteDataStore.isPersistent)
    }

    @Test("A popup can be shown again, and hiding a hidden one reports nothing") func showsAgain() {
        let view = view()
        let log = PopupLog()
        view.controller.delegate = log
        view.controller.hide()
        view.controller.buildLayout()
        view.controller.show()
        view.controller.hide()
        view.controller.hide()
        view.controller.show()

        #expect(log.told == ["will", "did", "gone", "will", "did"])
    }

    @Test("A popup that is hidden while it appears still reports everything in order") func hidesWhileAppearing() {
        var machine = PopupMachine()
        machine.build()
        #expect(machine.show() == [.willAppear])
        #expect(machine.hide() == [.didAppear, .didDisappear])
        #expect(machine.finishShowing().isEmpty)
        #expect(machine.state == .ready)
    }

    @Test("C-93 a push with a link to the web may be shown in one; one without, with other text or of a survey not")
    func ofPush() throws {
        func message(_ fields: [String: Any]) throws -> PushMessage {
            let own: [String: Any] = ["o": "\(Sample.occurrence())", "r": Sample.receipt]
            return try #require(PushMessage(userInfo: ["carillon": own.merging(fields) { $1 }]))
        }

        #expect(Popup(for: try message(["link": "https://a.example/?n=1"]), title: "News")?.url != nil)
        #expect(Popup(for: try message([:]), title: "News") == nil)
        #expect(Popup(for: try message(["link": "page=1"]), title: "News") == nil)
        #expect(Popup(for: try message(["link": "https://a.example/?s=1", "survey": true]), title: "News") == nil)
    }

    @Test("Its browser button opens the page in the system's browser; without a page there is none")
    func browser() async throws {
        let test = try TestPhone()
        await test.system.openApp()
        try await test.phone.inside { _ in
            try await MainActor.run {
                let shown = view()
                shown.controller.buildLayout()
                let button = try #require(shown.browserButton)
                button.sendActions(for: .touchUpInside)
                let url = URL(string: "https://a.example/")
                for popup in [Popup(title: "News"), Popup(title: "News", url: url, hasBrowserButton: false)] {
                    let without = view(popup)
                    without.controller.buildLayout()
                    #expect(without.browserButton == nil)
                }
            }
        }
        #expect(test.system.openedURLs.map(\.absoluteString) == ["https://a.example/"])
    }

    @Test("C-94 pass: stands for http:, before anything is fetched")
    func pass() {
        #expect(WebLink.pass(URL(string: "pass://a.example/p?id=1")!)?.absoluteString == "http://a.example/p?id=1")
        #expect(WebLink.pass(URL(string: "https://a.example/p")!) == nil)
        #expect(WebLink.pass(URL(string: "pass:nothing")!) == nil)
    }
}

@MainActor
private final class PopupLog: PopupDelegate {
    var told: [String] = []

    func popupWillAppear(_ controller: PopupController) { told.append("will") }
    func popupDidAppear(_ controller: PopupController) { told.append("did") }
    func popupDidDisappear(_ controller: PopupController) { told.append("gone") }
    func popupDidTapOutside(_ controller: PopupController) { told.append("outside") }
}
