#if canImport(UIKit)
public import CorePush
import Foundation
public import UIKit
public import WebKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The samples of CORE RESEARCH, in Swift.
@MainActor
public enum ResearchSamples {
    /// A survey's page: only of a push that is a survey, and only with an address.
    public static func questionnaireURL(of userInfo: [AnyHashable: Any]) -> String? {
        guard userInfo["CoreResearch"] as? String == "1", let url = userInfo["url"] as? String, !url.isEmpty else {
            return nil
        }
        return "\(url)&pf=ios&cruuid=\(CorePushManager.shared.uuid)"
    }

    /// Shows a survey over what is shown now.
    ///
    /// - Returns: The survey's screen; `nil` when the push is none.
    @discardableResult
    public static func showSurvey(of userInfo: [AnyHashable: Any]) -> QuestionnaireViewController? {
        guard let questionnaireURL = questionnaireURL(of: userInfo) else { return nil }
        let controller = QuestionnaireViewController()
        controller.urlString = questionnaireURL
        topMostViewController?.present(controller, animated: true)
        return controller
    }

    /// The screen that covers all others.
    private static var topMostViewController: UIViewController? {
        let scenes = UIApplication.shared.connectedScenes.compactMap { $0 as? UIWindowScene }
        var top = scenes.first?.keyWindow?.rootViewController
        while let next = top?.presentedViewController { top = next }
        return top
    }

    /// The history of surveys is fetched; the delegate is told.
    public static func requestHistory(_ delegate: any CoreResearchHistoryManagerDelegate) {
        CoreResearchHistoryManager.shared.delegate = delegate
        CoreResearchHistoryManager.shared.requestResearchHistory()
    }

    /// The pages of the surveys that were sent, newest first.
    public static func historyURLs() -> [String] {
        CoreResearchHistoryManager.shared.researchHistoryModelArray.compactMap { model in
            CoreResearchHistoryManager.shared.questionnaireURL(model.url)
        }
    }
}

/// The sample's screen: a page in a `WKWebView`.
public final class QuestionnaireViewController: UIViewController {
    /// The survey's page.
    public var urlString: String?
    /// Shows it.
    public private(set) var webView: WKWebView?

    /// Loads the page.
    public override func viewDidLoad() {
        super.viewDidLoad()
        let webView = WKWebView(frame: view.bounds, configuration: WKWebViewConfiguration())
        view.addSubview(webView)
        self.webView = webView
        if let url = urlString.flatMap(URL.init(string:)) { webView.load(URLRequest(url: url)) }
    }
}
#endif
