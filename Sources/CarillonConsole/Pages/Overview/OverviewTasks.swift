import CarillonModel
import CarillonOperatorModel

extension OverviewView {
    /// The checklist of the first use; a step that waits has a button when it is one press.
    static func tasks(
        _ model: Overview.Model,
        as role: OperatorRole,
        _ paths: AppPath,
        _ texts: Texts
    ) -> [Task] {
        let app = model.app
        func task(_ name: String, _ isDone: Bool, _ path: String?) -> Task {
            Task(
                taskWords: texts.word("overview.task", name),
                isDone: isDone,
                taskState: texts(isDone ? "overview.done" : "overview.toDo"),
                taskPath: path
            )
        }
        var key = task("key", app.hasPushKey, role >= .admin ? paths.apns : nil)
        if !app.hasPushKey, role >= .admin {
            (key.taskAction, key.taskButton) = (paths.home + "/simulator", texts("overview.useSimulator"))
        }
        var device = task("device", model.hasDevices, paths.devices)
        if app.usesSimulator, !model.hasDevices, role >= .editor {
            (device.taskAction, device.taskButton) = (paths.home + "/phones", texts("overview.addPhone"))
        }
        let test = model.phone.map { task("phone", $0.hasMessages, PhonePage.path($0.id, of: app.id)) }
        return [key, device, test, task("campaign", !model.latest.isEmpty, paths.campaigns)].compactMap(\.self)
    }
}
