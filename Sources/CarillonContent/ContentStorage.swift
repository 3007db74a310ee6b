import Carillon
import CarillonModel
import Foundation

/// An answer of the server's, as it is kept.
struct StoredAnswer: Codable, Hashable, Sendable {
    /// What it answers; another request may have the same file.
    var request: String
    var fetchedAt: Timestamp
    var body: Data

    func decoded<Value: Decodable>(_ type: Value.Type) -> Value? { try? JSONDecoder().decode(type, from: body) }
}

/// The last answers on disk: a file each, the ones that were fetched longest ago go first.
struct ContentStorage: Sendable {
    /// How much is kept.
    struct Limits: Sendable {
        var files = 300
        var bytes = 20_000_000

        init() {}
    }

    private let folder: URL
    private let limits: Limits

    /// Finds the folder of an App.
    ///
    /// - Throws: `CarillonError` when it cannot be made.
    init(_ configuration: CarillonConfiguration, limits: Limits = Limits()) throws(CarillonError) {
        let parent = try StorageFolder.makePersonal(for: configuration)
        folder = parent.appendingPathComponent("content", isDirectory: true)
        self.limits = limits
        guard !FileManager.default.fileExists(atPath: folder.path) else { return }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw .storage("the folder for content cannot be made")
        }
    }

    /// The last answer to a request; near a place that of the nearest place.
    func answer(to request: ContentRequest) throws(CarillonError) -> StoredAnswer? {
        for text in [request.text] + request.neighbours {
            let file = folder.appendingPathComponent(ContentRequest.fileName(text))
            guard let answer = try StateFile<StoredAnswer>(file: file).load(), answer.request == text else { continue }
            return answer
        }
        return nil
    }

    /// Keeps an answer in place of the last one to the same request.
    func save(_ answer: StoredAnswer, of request: ContentRequest) throws(CarillonError) {
        try StateFile(file: folder.appendingPathComponent(request.fileName)).save(answer)
        removeSurplus()
    }

    /// Removes all answers.
    func erase() { try? FileManager.default.removeItem(at: folder) }

    // MARK: - Private

    private struct File {
        var url: URL
        var bytes: Int
        var changedAt: Date
    }

    /// Removes the oldest files above the limits, and what a process left that was ended while it wrote.
    private func removeSurplus() {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))
        var files = (all ?? []).compactMap { url -> File? in
            guard let values = try? url.resourceValues(forKeys: keys), let bytes = values.fileSize,
                let changedAt = values.contentModificationDate
            else { return nil }
            return File(url: url, bytes: bytes, changedAt: changedAt)
        }
        files.sort { $0.changedAt > $1.changedAt }
        var bytes = 0
        for (index, file) in files.enumerated() {
            bytes += file.bytes
            if index >= limits.files || bytes > limits.bytes { try? FileManager.default.removeItem(at: file.url) }
        }
    }
}
