import Carillon
import CarillonPages
import Foundation
import Testing
import UIKit

@testable import CorePush

@MainActor
@Suite("CORE PUSH's popup and CORE RESEARCH's surveys")
struct PopupTests {
    private let parent = UIView(frame: CGRect(x: 0, y: 0, width: 390, height: 844))

    private func popup(_ told: PopupLog) -> CorePushPopupView {
        let popup = CorePushPopupView(frame: CGRect(x: 45, y: 222, width: 300, height: 400), withParentView: parent)
        popup.titleBarText = "Newsからのお知らせ"
        popup.delegate = told
        return popup
    }

    @Test("C-95 the layout precedes show; will appear, did appear, did disappear, in this order")
    func order() throws {
        let told = PopupLog()
        let popup = popup(told)
        popup.show()
        #expect(told.heard.isEmpty && parent.subviews.isEmpty)
        #expect(popup.contentView.frame.size == .zero)
        popup.buildLayoutSubViews()
        #expect(popup.contentView.frame.size.width == 300)
        popup.show()
        #expect(told.heard == ["will appear", "did appear"])
        #expect(popup.popupView?.titleLabel?.text == "Newsからのお知らせ")
        popup.hide()
        #expect(told.heard == ["will appear", "did appear", "did disappear"])
        #expect(parent.subviews.isEmpty)
    }

    @Test("C-95 a tap outside is reported, and closes the popup unless disabled", arguments: [true, false])
    func outside(_ closes: Bool) throws {
        let told = PopupLog()
        let popup = popup(told)
        popup.closesOnOutsideTap = closes
        popup.buildLayoutSubViews()
        popup.show()
        let outside = try #require(popup.popupView?.outside)
        outside.sendActions(for: .touchUpInside)
        let first = ["will appear", "did appear", "outside"]
        #expect(told.heard == (closes ? first + ["did disappear"] : first))
    }

    @Test("C-95 a popup that nobody keeps tells its delegate to the end, and is gone then")
    func local() throws {
        let told = PopupLog()
        weak var kept: CorePushPopupView?
        do {
            let popup = popup(told)
            popup.buildLayoutSubViews()
            popup.show()
            kept = popup
        }
        let close = try #require(parent.subviews.compactMap { $0 as? PopupView }.first?.closeButton)
        close.sendActions(for: .touchUpInside)
        #expect(told.heard == ["will appear", "did appear", "did disappear"])
        #expect(kept == nil && parent.subviews.isEmpty)
    }

    @Test("A delegate without methods, or a released one, has no effect") func toleratesMissingDelegates() {
        let popup = CorePushPopupView(frame: .zero, withParentView: parent)
        let silent = SilentPopupDelegate()
        popup.delegate = silent
        popup.buildLayoutSubViews()
        popup.show()
        popup.delegate = nil
        popup.hide()
        #expect(parent.subviews.isEmpty)
    }
}

@MainActor
private final class PopupLog: NSObject, CorePushPopupViewDelegate {
    private(set) var heard: [String] = []

    func popupWillAppear(_ popupView: CorePushPopupView) { heard.append("will appear") }
    func popupDidAppear(_ popupView: CorePushPopupView) { heard.append("did appear") }
    func popupDidDisappear(_ popupView: CorePushPopupView) { heard.append("did disappear") }
    func popupDidTapOutside(_ popupView: CorePushPopupView) { heard.append("outside") }
}

@MainActor
private final class SilentPopupDelegate: NSObject, CorePushPopupViewDelegate {}
