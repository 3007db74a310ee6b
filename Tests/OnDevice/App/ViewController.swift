#if canImport(UIKit)
import Foundation
import UIKit

/// The app's only screen: two buttons and the log, newest line first.
///
/// The storyboard of Xcode's template makes it by this name.
final class ViewController: UIViewController {
    private static let lineHeight: CGFloat = 24
    private static let top: CGFloat = 80
    private var labels: [UILabel] = []

    private var appDelegate: AppDelegate? { UIApplication.shared.delegate as? AppDelegate }

    override func viewDidLoad() {
        super.viewDidLoad()
        view.backgroundColor = .systemBackground
        addButton("Register", at: 0) { await $0.register() }
        addButton("Register calls", at: 1) { await $0.registerCalls() }
        addLabels()
        appDelegate?.log.onChange = { [weak self] in self?.showLines() }
        appDelegate?.pushEvents.screen = self
        showLines()
    }

    private func addButton(
        _ title: String,
        at column: CGFloat,
        _ action: @escaping @MainActor (AppDelegate) async -> Void
    ) {
        let handler = UIAction(title: title) { [weak self] _ in
            guard let delegate = self?.appDelegate else { return }
            Task { await action(delegate) }
        }
        let button = UIButton(type: .system, primaryAction: handler)
        let width = view.bounds.size.width / 2
        button.frame = CGRect(x: column * width, y: Self.top, width: width, height: 2 * Self.lineHeight)
        view.addSubview(button)
    }

    private func addLabels() {
        let first = Self.top + 2 * Self.lineHeight
        let room = view.bounds.size.height - first
        for number in 0..<max(1, Int(room / Self.lineHeight)) {
            let y = first + CGFloat(number) * Self.lineHeight
            let label = UILabel(frame: CGRect(x: 8, y: y, width: view.bounds.size.width - 16, height: Self.lineHeight))
            view.addSubview(label)
            labels.append(label)
        }
    }

    private func showLines() {
        let lines = appDelegate?.log.lines ?? []
        for (label, line) in zip(labels, lines.reversed()) { label.text = line }
    }
}
#endif
