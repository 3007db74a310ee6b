import Carillon
import CarillonServiceExtension
import FacadeSupport
import Foundation

/// A test's media; nothing is downloaded.
struct TestKitMedia: MediaSource {
    /// Why a download failed.
    enum Missing: Error {
        case notThere, tooLarge
    }

    let find: @Sendable (URL) -> Data?

    func load(_ url: URL, into file: URL, maximumSize: Int, timeLimit: TimeInterval) async throws {
        guard let data = find(url) else { throw Missing.notThere }
        guard data.count <= maximumSize else { throw Missing.tooLarge }
        try data.write(to: file)
    }
}

/// Data of an app that outlives its process.
///
/// Unchecked: `lock` protects `values`.
final class TestKitMemory: FacadeStorage, @unchecked Sendable {
    private let lock = NSLock()
    private var values: [String: Data] = [:]

    func data(_ name: String) -> Data? {
        lock.lock()
        defer { lock.unlock() }
        return values[name]
    }

    func keep(_ data: Data?, _ name: String) {
        lock.lock()
        defer { lock.unlock() }
        values[name] = data
    }
}

extension DeviceFacts {
    static var tested: DeviceFacts {
        var facts = DeviceFacts()
        facts.language = "ja-JP"
        facts.country = "JP"
        facts.timeZone = "Asia/Tokyo"
        facts.appVersion = "1.0"
        facts.osVersion = "iOS 17.4"
        facts.model = "iPhone15,3"
        return facts
    }
}
