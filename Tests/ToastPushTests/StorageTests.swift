import CarillonModel
import CarillonTestKit
import Foundation
import Testing

@testable import FacadeSupport
@testable import ToastPush

@Suite("The facades' stored values")
struct StorageTests {
    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("facade-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("Values outlive the process, and a removed one is gone") func outlivesTheProcess() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        FacadeFile { folder }.keep(value: "u-17", "user")
        FacadeFile { folder }.keep(value: ["a", "b"], "list")
        #expect(try FacadeFile { folder }.read("user") == "u-17")
        FacadeFile { folder }.keep(value: String?.none, "user")
        #expect(try FacadeFile { folder }.read("user") == String?.none)
        #expect(try FacadeFile { folder }.read("list") == ["a", "b"])
    }

    @Test("A file that cannot be read yet is an error, and what is saved meanwhile joins it later")
    func waitsForTheFirstUnlock() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, hidden) = (folder.appendingPathComponent("facade.json"), folder.appendingPathComponent("hidden"))
        FacadeFile { folder }.keep(value: "u-17", "user")
        try FileManager.default.moveItem(at: file, to: hidden)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)

        let storage = FacadeFile { folder }
        #expect(throws: (any Error).self) { let _: String? = try storage.read("user") }
        storage.keep(value: "app-key", "key")
        #expect(try storage.read("key") == "app-key")

        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: hidden, to: file)
        #expect(try storage.read("user") == "u-17")
        storage.keep(value: true, "debug")
        #expect(try FacadeFile { folder }.read("key") == "app-key")
        #expect(try FacadeFile { folder }.read("user") == "u-17")
    }

    @Test("While the storage cannot be read no id is made up, and a registration gives 4")
    func makesNothingUp() throws {
        let adapter = ToastPushAdapter(
            FacadeDependencies(isExtension: false, memory: LockedStorage(), info: { _ in nil })
        )
        let error = #expect(throws: ToastPushError.self) { try adapter.identity.registered() }
        #expect(error?.code == .systemFailed)
        #expect(adapter.identity.deviceID.isEmpty && adapter.identity.userID == nil)
        #expect(throws: LockedStorage.NotYet.self) { try adapter.identity.readConsent() }
        adapter.setUser("u-17")
        #expect(try adapter.identity.registered().rawValue == "u-17")
    }
}

/// The storage of a phone that was not unlocked since its restart.
private struct LockedStorage: FacadeStorage {
    struct NotYet: Error {}

    func data(_ name: String) throws -> Data? { throw NotYet() }

    func keep(_ data: Data?, _ name: String) {
        #expect(name != "toast.deviceID", "an id was made up")
    }
}
